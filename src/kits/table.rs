//! The kits. What a source leaves open is an estimate, and says so.

use crate::kits::kit::{Joint, Kit, Place, Servo};

const fn place(x: f64, y: f64, yaw_deg: f64) -> Place {
    Place { x, y, yaw_deg }
}

const fn joint(lower_deg: f64, upper_deg: f64) -> Joint {
    Joint { lower_deg, upper_deg }
}

/// Hips at the corners and amid the sides, as most robots have them.
const fn hips(corner: Place, middle_y: f64) -> [Place; 3] {
    [corner, place(0.0, middle_y, 90.0), place(-corner.x, corner.y, 180.0 - corner.yaw_deg)]
}

/// Robotis e-manual: 54.6 g, 1.5 N m and 59 rpm at 12 V.
const AX12: Servo = Servo {
    title: "Dynamixel AX-12A",
    bus: Some(("dynamixel", "ax")),
    setting_up: "in hexapod.yaml set bus: dynamixel and port, in servos.yaml the IDs that hexapod servo scan {here} shows; then \
                 hexapod calibrate {here}",
    mass_kg: 0.0546,
    speed_rad_s: 6.1,
    torque_nm: 1.5,
};
/// TowerPro data sheet: 55 g, 9.4 kgf cm and 0.17 s/60 degrees at 4.8 V.
const MG996R: Servo = Servo {
    title: "TowerPro MG996R",
    bus: None,
    setting_up: "in servos.yaml write all: {kind: mg996r}, then hexapod servo centre --bus i2c {here}, mount the horns, \
                 hexapod calibrate --bus i2c {here}",
    mass_kg: 0.055,
    speed_rad_s: 6.1,
    torque_nm: 0.922,
};

/// Servos that a source does not name, with the figures of the Hitec HS-645MG.
const HOBBY: Servo = Servo {
    title: "hobby servos, of which kind the source does not say",
    bus: None,
    setting_up: "in servos.yaml write their kind, as in all: {kind: standard}, which turns 180 degrees, then hexapod servo centre --bus i2c {here}, \
                 mount the horns, hexapod calibrate --bus i2c {here}",
    mass_kg: 0.055,
    speed_rad_s: 4.3,
    torque_nm: 0.755,
};

/// Robots with three joints a leg that many people own.
pub const KITS: [Kit; 11] = [
    Kit {
        name: "phantomx",
        also: &[],
        title: "Trossen PhantomX AX Mark II or III",
        source: "KevinOchs/hexapod_ros, hexapod_description/params/phantomX.yaml; femur as KurtE/Arduino_Phoenix_Parts, \
                 PhantomX_V2_Commander_AX12_Stock/Hex_Cfg.h, which calls it a guess; HumaRobotics/phantomx_description has hips at \
                 124.8, 61.6 and 103.4 mm and a coxa of 54 mm",
        estimates: "ranges of coxa and femur as Hex_Cfg.h, that of the tibia an estimate; body as HumaRobotics",
        hips: hips(place(0.12, 0.06, 45.0), 0.1),
        coxa_m: 0.052,
        femur_m: 0.066,
        tibia_m: 0.133,
        coxa: joint(-75.0, 75.0),
        femur: joint(-100.0, 100.0),
        tibia: joint(-150.0, -23.0),
        body_kg: 0.976,
        servo: AX12,
    },
    Kit {
        name: "phantomx_mk1",
        also: &[],
        title: "Trossen PhantomX AX Mark I",
        source: "KurtE/Arduino_Phoenix_Parts, PhantomX_Commander_AX12_Stock/Hex_Cfg.h",
        estimates: "ranges of coxa and femur as Hex_Cfg.h, that of the tibia an estimate; body as of the Mark II",
        hips: hips(place(0.12, 0.06, 45.0), 0.1),
        coxa_m: 0.052,
        femur_m: 0.083,
        tibia_m: 0.14,
        coxa: joint(-70.0, 70.0),
        femur: joint(-90.0, 90.0),
        tibia: joint(-150.0, 0.0),
        body_kg: 0.976,
        servo: AX12,
    },
    Kit {
        name: "phantomx_mk4",
        also: &[],
        title: "Interbotix PhantomX or WidowX MK-IV",
        source: "Interbotix/interbotix_ros_crawlers, interbotix_xshexapod_descriptions/urdf/pxmark4.urdf.xacro",
        estimates: "ranges, speed, torque and body as the same file",
        hips: hips(place(0.125, 0.065, 45.0), 0.1),
        coxa_m: 0.0529,
        femur_m: 0.06185,
        tibia_m: 0.1309,
        coxa: joint(-55.0, 55.0),
        femur: joint(-104.0, 84.0),
        tibia: joint(-154.5, 15.5),
        body_kg: 1.522,
        servo: Servo {
            title: "Dynamixel X",
            bus: Some(("dynamixel", "x")),
            setting_up: "in hexapod.yaml set bus: dynamixel and port, in servos.yaml the IDs that hexapod servo scan {here} shows; then \
                         hexapod calibrate {here}",
            mass_kg: 0.07,
            speed_rad_s: std::f64::consts::PI,
            torque_nm: 3.0,
        },
    },
    Kit {
        name: "freenove",
        also: &[],
        title: "Freenove Big Hexapod (FNK0052)",
        source: "Freenove/Freenove_Big_Hexapod_Robot_Kit_for_Raspberry_Pi, Code/Server/control.py",
        estimates: "ranges are those of the servos but for 5 degrees at each end; body an estimate",
        hips: hips(place(0.076, 0.055, 36.0), 0.085),
        coxa_m: 0.033,
        femur_m: 0.09,
        tibia_m: 0.11,
        coxa: joint(-85.0, 85.0),
        femur: joint(-85.0, 85.0),
        tibia: joint(-170.0, 0.0),
        body_kg: 0.9,
        servo: MG996R,
    },
    Kit {
        name: "phoenix",
        also: &["lynxmotion"],
        title: "Lynxmotion Phoenix",
        source: "KurtE/Arduino_Phoenix_Parts, Phoenix_PS2_SSC32/Hex_Cfg.h",
        estimates: "range of the coxa is the least that Hex_Cfg.h gives of a corner leg, that of the tibia and the body are estimates; \
                    servos as Hitec HS-645MG, which the source leaves open",
        hips: hips(place(0.082, 0.043, 30.0), 0.063),
        coxa_m: 0.029,
        femur_m: 0.076,
        tibia_m: 0.106,
        coxa: joint(-26.0, 26.0),
        femur: joint(-95.0, 95.0),
        tibia: joint(-150.0, -13.0),
        body_kg: 0.8,
        servo: HOBBY,
    },
    Kit {
        name: "phoenix_clone",
        also: &[],
        title: "Copy of the Phoenix in aluminium or acrylic",
        source: "teeffelen/Hexapod, Hex_Cfg.h; other copies differ: measure yours",
        estimates: "range of the coxa is the least that Hex_Cfg.h gives of a corner leg, that of the tibia and the body are estimates",
        hips: hips(place(0.074, 0.043, 30.0), 0.065),
        coxa_m: 0.029,
        femur_m: 0.084,
        tibia_m: 0.124,
        coxa: joint(-26.0, 26.0),
        femur: joint(-95.0, 95.0),
        tibia: joint(-150.0, -13.0),
        body_kg: 0.9,
        servo: MG996R,
    },
    Kit {
        name: "makeyourpet",
        also: &["chica"],
        title: "MakeYourPet hexapod (Chica)",
        source: "MakeYourPet/hexapod, chica-config-2040.txt; corner legs at 45 degrees as in its STEP frame, where its app stands with 55",
        estimates: "ranges are 90 degrees about the angles of attachment of femur and tibia, and an estimate of the coxa; body an estimate",
        hips: hips(place(0.0835, 0.063, 45.0), 0.0815),
        coxa_m: 0.043,
        femur_m: 0.08,
        tibia_m: 0.134,
        coxa: joint(-50.0, 50.0),
        femur: joint(-55.0, 90.0),
        tibia: joint(-158.0, 0.0),
        body_kg: 1.0,
        servo: Servo {
            title: "ZOSKAY or Feetech FT5330M of 35 kgf cm",
            bus: None,
            setting_up: "give every joint its channel of the Servo2040 in servos.yaml, and all: {kind: standard}, as in \
                         docs/servo_buses.md; set bus: servo2040, then hexapod servo centre {here}, mount the horns",
            mass_kg: 0.065,
            speed_rad_s: 6.0,
            torque_nm: 3.0,
        },
    },
    Kit {
        name: "jethexa",
        also: &[],
        title: "Hiwonder JetHexa",
        source: "ArghyaChatterjee/jethexa_ros, jethexa_description.urdf.xacro, a copy of the maker's",
        estimates: "body, speed and kind of the servos as alpharover/jethexa_rl_lab; ranges are estimates",
        hips: hips(place(0.0932, 0.05098, 45.0), 0.07353),
        coxa_m: 0.04505,
        femur_m: 0.07703,
        tibia_m: 0.123,
        coxa: joint(-60.0, 60.0),
        femur: joint(-90.0, 90.0),
        tibia: joint(-150.0, 0.0),
        body_kg: 1.369,
        servo: Servo {
            title: "Hiwonder HX-35H",
            bus: Some(("lx16a", "lx16a")),
            setting_up: "in hexapod.yaml set bus: lx16a and port, in servos.yaml the IDs that hexapod servo scan {here} shows; then \
                         hexapod calibrate {here}; not tried on one",
            mass_kg: 0.064,
            speed_rad_s: 5.8,
            torque_nm: 3.4,
        },
    },
    Kit {
        name: "v2_7697",
        also: &[],
        title: "SmallpTsai hexapod v2 (printed)",
        source: "SmallpTsai/hexapod-v2-7697, software/hexapod7697/src/hexapod/config.h and servo.cpp",
        estimates: "ranges as servo.cpp; body an estimate",
        hips: hips(place(0.07008, 0.03708, 45.0), 0.05062),
        coxa_m: 0.028,
        femur_m: 0.0426,
        tibia_m: 0.08907,
        coxa: joint(-45.0, 45.0),
        femur: joint(-45.0, 75.0),
        tibia: joint(-150.0, -30.0),
        body_kg: 0.4,
        servo: Servo {
            // TowerPro data sheet: 13.8 g, 3.1 kgf cm and 0.13 s/60 degrees at 4.8 V, which is 8 rad/s; `kind: standard` is slower.
            title: "TowerPro MG92B",
            bus: None,
            setting_up: "in servos.yaml write all: {kind: standard}, then hexapod servo centre --bus i2c {here}, mount the horns, \
                 hexapod calibrate --bus i2c {here}",
            mass_kg: 0.0138,
            speed_rad_s: 6.0,
            torque_nm: 0.304,
        },
    },
    Kit {
        name: "lukas",
        also: &["lukas_sts3215"],
        title: "lukas/hexapod, printed, with STS3215 servos",
        source: "lukas/hexapod, hexapod_walker/prototype_sts3215/mesh_mujoco/hexapod_mesh_mjx.xml; its femora lie 38 mm above the axes \
                 of the coxae, here at their height",
        estimates: "ranges and body as the same file; speed and torque of the servos as sim.yaml, at 7.4 V",
        hips: hips(place(0.0866, 0.05, 30.0), 0.1),
        coxa_m: 0.0125,
        femur_m: 0.09,
        tibia_m: 0.15,
        coxa: joint(-35.0, 35.0),
        femur: joint(-30.0, 80.0),
        tibia: joint(-150.0, 20.0),
        body_kg: 1.473,
        servo: Servo {
            title: "Feetech STS3215",
            bus: Some(("feetech", "sts")),
            setting_up: "in hexapod.yaml set bus: feetech and port, in servos.yaml the IDs that hexapod servo scan {here} shows; then \
                         hexapod calibrate {here}",
            mass_kg: 0.055,
            speed_rad_s: 5.45,
            torque_nm: 1.912,
        },
    },
    Kit {
        name: "elkapod",
        also: &[],
        title: "Elkapod of HexapodBionik",
        source: "HexapodBionik/elkapod_core, elkapod_description/urdf: elkapod.urdf.xacro and left_leg/left_leg.urdf.xacro",
        estimates: "body and ranges of coxa and femur as the same files, but for 5 degrees at each end; range of the tibia, speed and \
                    torque are estimates: the file gives 50 N m, and no kind of servo",
        hips: [place(0.17841, 0.13276, 36.65), place(0.0138, 0.1643, 90.0), place(-0.15903, 0.15038, 136.6)],
        coxa_m: 0.0676,
        femur_m: 0.09237,
        tibia_m: 0.2237,
        coxa: joint(-85.0, 85.0),
        femur: joint(-85.0, 85.0),
        tibia: joint(-150.0, 0.0),
        body_kg: 3.4,
        servo: Servo { mass_kg: 0.065, speed_rad_s: 6.0, torque_nm: 3.4, ..HOBBY },
    },
];
