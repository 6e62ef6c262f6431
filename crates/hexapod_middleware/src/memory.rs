//! Names the function in `memory.c`, which the loader calls, so that it is linked.

extern "C" {
    fn hexapod_bound_memory();
}

#[used]
static BOUND_MEMORY: unsafe extern "C" fn() = hexapod_bound_memory;
