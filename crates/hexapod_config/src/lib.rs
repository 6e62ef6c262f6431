//! hexapod_config
