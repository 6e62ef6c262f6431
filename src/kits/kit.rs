//! What describes a kit.

/// A hexapod with three joints a leg, its right side as its left.
#[derive(Clone, Copy, Debug)]
pub struct Kit {
    /// What it is called on the command line.
    pub name: &'static str,
    /// Other names for it on the command line.
    pub also: &'static [&'static str],
    /// What its maker calls it.
    pub title: &'static str,
    /// Where the dimensions are from.
    pub source: &'static str,
    /// Where masses and limits are from.
    pub estimates: &'static str,
    /// Axes of the coxae on the left: front, middle, rear.
    pub hips: [Place; 3],
    /// From the axis of the coxa to that of the femur, m.
    pub coxa_m: f64,
    /// From the axis of the femur to that of the tibia, m.
    pub femur_m: f64,
    /// From the axis of the tibia to the tip of the foot, m.
    pub tibia_m: f64,
    /// Range of the coxa; 0 where the leg points as the hip does.
    pub coxa: Joint,
    /// Range of the femur; 0 is level, positive lifts the knee.
    pub femur: Joint,
    /// Range of the tibia; 0 is in line with the femur, negative bends the knee down.
    pub tibia: Joint,
    /// What the body weighs, with the servos of the coxae, boards and battery, kg.
    pub body_kg: f64,
    /// The servo of every joint.
    pub servo: Servo,
}

/// Where a hip is in the body frame (x ahead, y left), and where its leg points.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// m.
    pub x: f64,
    /// m.
    pub y: f64,
    /// 0 ahead, 90 to the left.
    pub yaw_deg: f64,
}

/// The range of a joint.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// The least angle.
    pub lower_deg: f64,
    /// The greatest.
    pub upper_deg: f64,
}

/// A servo by its data sheet.
#[derive(Clone, Copy, Debug)]
pub struct Servo {
    /// What it is called.
    pub title: &'static str,
    /// Its bus and series, where it is on a serial one.
    pub bus: Option<(&'static str, &'static str)>,
    /// How its owner sets it up. `{here}` in commands stands for the option that names his folder.
    pub setting_up: &'static str,
    /// kg.
    pub mass_kg: f64,
    /// Without load, rad/s.
    pub speed_rad_s: f64,
    /// Stall torque, N m.
    pub torque_nm: f64,
}
