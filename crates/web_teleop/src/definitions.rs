//! Definitions of the messages that are recorded, collected by the build script.

include!(concat!(env!("OUT_DIR"), "/definitions.rs"));
