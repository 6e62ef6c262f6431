//! hexapod_gait
