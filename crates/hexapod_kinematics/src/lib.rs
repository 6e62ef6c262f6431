//! hexapod_kinematics
