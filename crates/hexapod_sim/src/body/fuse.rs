//! Links become parts: what hangs on a fixed joint belongs to the part that carries it.

use super::assembly::{Assembly, BuildError, Foot, Hinge, HingeKind, Part};
use super::ends::{cap, joints_of_bare_parts};
use hexapod_dynamics::Inertia;
use hexapod_kinematics::{Geometry, Joint, JointKind, Leg, Model, Robot, Shape};
use nalgebra::{Isometry3, Matrix3, Vector3};

/// The part that a link belongs to, and its pose in the part's frame.
type Place = (usize, Isometry3<f64>);

impl Assembly {
    /// The parts of a robot.
    ///
    /// # Errors
    /// [`BuildError::Weightless`], [`BuildError::HeavyForLegs`].
    pub fn new(robot: &Robot) -> Result<Self, BuildError> {
        let model = robot.model();
        let mut fusing = Fusing::new(model);
        for &joint in &outwards(model) {
            fusing.take(joint);
        }
        let Fusing { places, parts, mut hinges, mut notes, .. } = fusing;
        copy_mimics(model, &mut hinges);
        let mut parts: Vec<Part> = parts.into_iter().map(Lump::into_part).collect();
        let feet = robot.legs().iter().filter_map(|leg| foot(leg, &places)).collect::<Vec<_>>();
        notes.extend(joints_of_bare_parts(model, &mut parts, &hinges));
        notes.extend(feet.iter().filter_map(|foot| cap(model, &mut parts, foot)));
        let assembly = Assembly {
            legs: robot.legs().iter().map(|leg| of_leg(leg, &hinges)).collect(),
            parts,
            hinges,
            feet,
            links: places,
            notes,
        };
        let robot = || model.name().to_owned();
        if assembly.mass() <= 0.0 {
            return Err(BuildError::Weightless { robot: robot() });
        }
        match assembly.heavy_for_legs() {
            Some((body_kg, leg_kg)) => Err(BuildError::HeavyForLegs { robot: robot(), body_kg, leg_kg }),
            None => Ok(assembly),
        }
    }
}

/// Links taken one after another from the base outwards.
struct Fusing<'a> {
    model: &'a Model,
    places: Vec<Option<Place>>,
    parts: Vec<Lump>,
    hinges: Vec<Hinge>,
    notes: Vec<String>,
}

impl<'a> Fusing<'a> {
    fn new(model: &'a Model) -> Self {
        let mut fusing = Self {
            model,
            places: vec![None; model.links().len()],
            parts: Vec::new(),
            hinges: Vec::new(),
            notes: Vec::new(),
        };
        if let Some(base) = model.link_index(model.base_link()) {
            fusing.parts.push(Lump::new(base));
            fusing.put(base, (0, Isometry3::identity()));
        }
        fusing
    }

    /// Takes the link that a joint carries.
    fn take(&mut self, index: usize) {
        let Some(joint) = self.model.joints().get(index) else { return };
        let Some((parent, parent_from_link)) = self.places.get(joint.parent()).copied().flatten() else { return };
        let parent_from_joint = parent_from_link * joint.parent_from_joint();
        let kind = match joint.kind() {
            JointKind::Fixed => return self.put(joint.child(), (parent, parent_from_joint)),
            JointKind::Prismatic => HingeKind::Sliding,
            JointKind::Revolute | JointKind::Continuous => HingeKind::Turning,
        };
        let child = self.parts.len();
        self.hinges.push(hinge(index, joint, [parent, child], kind, parent_from_joint));
        self.parts.push(Lump::new(joint.child()));
        self.put(joint.child(), (child, Isometry3::identity()));
    }

    /// Adds a link to a part.
    fn put(&mut self, link: usize, (part, part_from_link): Place) {
        let (Some(lump), Some(found)) = (self.parts.get_mut(part), self.model.links().get(link)) else { return };
        if let Some(inertial) = found.inertial() {
            lump.inertia = lump.inertia + Inertia::of_link(inertial, &part_from_link);
        }
        for shape in found.collisions() {
            if matches!(shape.geometry, Geometry::Mesh { .. }) {
                self.notes.push(format!("link \"{}\": its collision mesh is left out", found.name()));
                continue;
            }
            let link_from_shape = part_from_link * shape.link_from_shape;
            lump.shapes.push(Shape { link_from_shape, geometry: shape.geometry.clone() });
        }
        if let Some(place) = self.places.get_mut(link) {
            *place = Some((part, part_from_link));
        }
    }
}

fn hinge(index: usize, joint: &Joint, [parent, child]: [usize; 2], kind: HingeKind, at: Isometry3<f64>) -> Hinge {
    let stops = joint.limits().filter(|_| joint.kind() != JointKind::Continuous);
    Hinge {
        joint: index,
        parent,
        child,
        kind,
        parent_from_joint: at,
        axis: joint.axis(),
        stops: stops.map(|limits| [limits.lower, limits.upper]),
        friction: joint.friction(),
        mimic: None,
    }
}

/// Joints from the base outwards, each after the one that carries its parent link.
fn outwards(model: &Model) -> Vec<usize> {
    let depth = |joint: usize| model.joints().get(joint).map_or(0, |joint| model.path_to(joint.child()).len());
    let mut order: Vec<usize> = (0..model.joints().len()).collect();
    order.sort_by_key(|&joint| depth(joint));
    order
}

fn copy_mimics(model: &Model, hinges: &mut [Hinge]) {
    let of_joint: Vec<usize> = hinges.iter().map(|hinge| hinge.joint).collect();
    for hinge in hinges {
        let mimic = model.joints().get(hinge.joint).and_then(Joint::mimic);
        hinge.mimic = mimic.and_then(|mimic| {
            let source = of_joint.iter().position(|&joint| joint == mimic.joint)?;
            Some((source, mimic.multiplier, mimic.offset))
        });
    }
}

fn of_leg(leg: &Leg, hinges: &[Hinge]) -> Vec<usize> {
    let place = |joint: usize| hinges.iter().position(|hinge| hinge.joint == joint);
    leg.joints().iter().filter_map(|joint| place(joint.joint_index())).collect()
}

fn foot(leg: &Leg, places: &[Option<Place>]) -> Option<Foot> {
    let (part, _) = places.get(leg.foot_link()).copied().flatten()?;
    // A leg's last joint carries the foot's part, whose frame is that joint's.
    Some(Foot { part, point: leg.tip().translation.vector })
}

/// A part in the making.
struct Lump {
    link: usize,
    inertia: Inertia,
    shapes: Vec<Shape>,
}

impl Lump {
    fn new(link: usize) -> Self {
        Self { link, inertia: Inertia::zero(), shapes: Vec::new() }
    }

    fn into_part(self) -> Part {
        let Inertia { mass, first_moment, tensor } = self.inertia;
        let centre = if mass > 0.0 { first_moment / mass } else { Vector3::zeros() };
        let steiner = Matrix3::from_diagonal_element(centre.norm_squared()) - centre * centre.transpose();
        Part { link: self.link, mass, centre, inertia: tensor - mass * steiner, shapes: self.shapes }
    }
}
