/* Memory of large messages goes back to the system as soon as they are done with.

   glibc maps a large block by itself and gives it back when it is freed, but raises the size from which on it does so
   to that of the largest block that was ever freed, up to 32 MB: after one message of 5 MB the next ones lie in the
   heaps of the threads that took them in, which keep them. A fixed size keeps it as it is at the start.

   All heaps but the first give nothing back while memory is locked: madvise(2), the only way they have, fails. Hence one
   heap for all threads; those with a deadline allocate nothing in their ticks.

   Called by the loader before main; src/memory.rs names it, so that it is linked. */
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

enum { MAPPED_FROM = 256 * 1024, KEPT_AT_MOST = 1024 * 1024 };

__attribute__((constructor)) void hexapod_bound_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
    mallopt(M_TRIM_THRESHOLD, KEPT_AT_MOST);
    mallopt(M_ARENA_MAX, 1);
}
#else
void hexapod_bound_memory(void)
{
}
#endif
