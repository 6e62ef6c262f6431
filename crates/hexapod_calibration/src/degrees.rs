//! Angles as a person reads them.

/// Whole degrees, or tenths where it is none.
pub fn degrees(angle_rad: f64) -> String {
    let angle = angle_rad.to_degrees();
    if (angle - angle.round()).abs() < 0.05 { format!("{:.0}", angle.round() + 0.0) } else { format!("{angle:.1}") }
}

/// Tenths of a degree.
pub fn degrees_fine(angle_rad: f64) -> String {
    format!("{:.1}", angle_rad.to_degrees() + 0.0)
}
