//! Puts the libraries in which most symbols are found at the head of the executables' libraries.
//!
//! Fast DDS has a third of all symbols that are bound before `main`, the C++ library and the one behind rcl's log another
//! quarter, and as libraries of rcl's libraries they come after up to 100 others in which each symbol is looked for first.
//! References to their functions, which nothing ever calls, move them to the front: the robot is heard 5 ms earlier after
//! exec. They are loaded even when a user runs other middleware or another log, then.

#[cfg(fast_dds)]
#[link(name = "fastrtps")]
extern "C" {
    /// `eprosima::fastdds::dds::DomainParticipantFactory::get_instance()`, of every Fast DDS 2.
    #[link_name = "_ZN8eprosima7fastdds3dds24DomainParticipantFactory12get_instanceEv"]
    fn get_instance();
}

#[cfg(std_cpp)]
#[link(name = "libstdc++.so.6", modifiers = "+verbatim")]
extern "C" {
    /// `std::terminate()`.
    #[link_name = "_ZSt9terminatev"]
    fn terminate();
}

#[cfg(spdlog)]
#[link(name = "rcl_logging_spdlog")]
extern "C" {
    fn rcl_logging_external_initialize();
}

#[cfg(fast_dds)]
#[used]
static FAST_DDS: unsafe extern "C" fn() = get_instance;

#[cfg(std_cpp)]
#[used]
static STD_CPP: unsafe extern "C" fn() = terminate;

#[cfg(spdlog)]
#[used]
static SPDLOG: unsafe extern "C" fn() = rcl_logging_external_initialize;
