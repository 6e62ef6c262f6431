//! hexapod_servo
