"""The robot in a physics engine: the shipped URDF on a floor, its joints moved by servos of limited strength."""

from pathlib import Path
import re

import mujoco
import numpy as np

from processes import ROOT

URDF = ROOT / 'urdf' / 'hexapod.urdf'
FRICTION = 0.8
# A hobby servo: stiff, damped, and no stronger than the URDF's effort says. The rotor's inertia is felt through the gears.
STIFFNESS = 20.0
DAMPING = 0.4
ROTOR = 0.003
STEP_S = 0.002
RATE_HZ = 100.0


def model(urdf=URDF, friction=FRICTION, ground=None):
    """Return the model of the robot on a floor, or on rough ground, which its feet alone touch."""
    text = Path(urdf).read_text()
    opened = re.search('<robot [^>]*>', text).group()
    text = text.replace(opened, opened + '<mujoco><compiler fusestatic="false" discardvisual="true"/></mujoco>', 1)
    spec = mujoco.MjSpec.from_string(text)
    spec.option.timestep = STEP_S
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0
    spec.body('base_link').add_freejoint()
    if ground is None:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.1], name='floor')
    else:
        for geom in spec.geoms:
            if not geom.parent.name.endswith('_foot'):
                geom.contype = geom.conaffinity = 0
        ground(spec)
    for geom in spec.geoms:
        # The greater of the two in a contact counts.
        geom.friction = [friction, 0.005, 0.0001]
    efforts = joint_efforts(text)
    for joint in spec.joints:
        if joint.name in efforts:
            joint.armature = ROTOR
            servo = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            servo.set_to_position(kp=STIFFNESS, kv=DAMPING)
            servo.forcerange = [-efforts[joint.name], efforts[joint.name]]
    return spec.compile()


def joint_efforts(urdf):
    """Return the greatest torque of each joint that turns."""
    from xml.etree import ElementTree
    joints = ElementTree.fromstring(urdf).findall('joint')
    return {joint.get('name'): float(joint.find('limit').get('effort')) for joint in joints
            if joint.get('type') == 'revolute'}


CELL_M = 0.06
CELLS = 41


def heights(seed, most):
    """Return random heights of the cells of some ground, all alike where the robot starts."""
    chosen = np.random.default_rng(seed).uniform(0.0, most, (CELLS, CELLS))
    places = (np.arange(CELLS) - CELLS // 2) * CELL_M
    chosen[np.hypot(*np.meshgrid(places, places)) < 0.24] = most / 2
    return chosen


def steps(seed, most):
    """Return what lays blocks of random heights, up to `most` m."""
    def lay(spec):
        for (row, column), height in np.ndenumerate(heights(seed, most)):
            place = [(column - CELLS // 2) * CELL_M, (row - CELLS // 2) * CELL_M, height - 0.05]
            spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[CELL_M / 2, CELL_M / 2, 0.05], pos=place)
    return lay


def ramps(seed, most):
    """Return what lays slopes between points of random heights, up to `most` m."""
    def lay(spec):
        half = CELLS // 2 * CELL_M
        spec.add_hfield(name='ramps', size=[half, half, most, 0.05], nrow=CELLS, ncol=CELLS,
                        userdata=(heights(seed, most) / most).flatten().tolist())
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname='ramps')
    return lay


class World:
    """The robot, put on the floor in its first pose."""

    def __init__(self, names, angles, height=0.06, **options):
        """Put its body there, above the floor in this pose, and let it come to rest."""
        self.model = model(**options)
        self.data = mujoco.MjData(self.model)
        self.servos = [self.model.actuator(name).id for name in names]
        places = [self.model.joint(name).qposadr[0] for name in names]
        self.data.qpos[places] = angles
        self.data.qpos[2] = height
        self.path, self.poses = [], []
        for _ in range(100):
            self.tick(angles)
        self.path.clear()
        self.poses.clear()

    def up(self):
        """Return the direction up in the body."""
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, self.data.qpos[3:7])
        return rotation[6:]

    def tick(self, angles):
        """Tell the servos their angles and let a tick pass."""
        self.data.ctrl[self.servos] = angles
        for _ in range(round(1.0 / RATE_HZ / STEP_S)):
            mujoco.mj_step(self.model, self.data)
        rotation = self.data.body('base_link').xmat.reshape(3, 3)
        self.path.append(np.array([*self.data.qpos[:2], np.arctan2(rotation[1, 0], rotation[0, 0])]))
        self.poses.append((self.data.qpos[2], np.arccos(np.clip(rotation[2, 2], -1.0, 1.0))))

    def foot_forces(self):
        """Return the upward force of the ground on each foot, N, by the foot's name."""
        forces = {self.model.body(body).name: 0.0 for body in range(self.model.nbody)}
        forces = {name: 0.0 for name in forces if name.endswith('_foot')}
        force = np.zeros(6)
        for index, contact in enumerate(self.data.contact):
            for geom in (contact.geom1, contact.geom2):
                name = self.model.body(self.model.geom_bodyid[geom]).name
                if name in forces:
                    mujoco.mj_contactForce(self.model, self.data, index, force)
                    forces[name] += force[0] * abs(contact.frame[2])
        return forces

    def touching(self):
        """Return the names of the bodies on the floor."""
        floor = self.model.geom('floor').id
        bodies = set()
        for contact in self.data.contact:
            pair = {int(contact.geom1), int(contact.geom2)}
            if floor in pair:
                bodies.add(self.model.body(self.model.geom_bodyid[(pair - {floor}).pop()]).name)
        return bodies


def moved(path, first, last):
    """Return the planar motion between two ticks, in the frame of the first."""
    dx, dy = path[last][:2] - path[first][:2]
    heading = path[first][2]
    turned = (path[last][2] - heading + np.pi) % (2 * np.pi) - np.pi
    cos, sin = np.cos(heading), np.sin(heading)
    return np.array([cos * dx + sin * dy, -sin * dx + cos * dy, turned])


def asked(twists):
    """Return the path that twists, one a tick, lead to."""
    path = [np.zeros(3)]
    for vx, vy, wz in twists:
        x, y, heading = path[-1]
        middle = heading + wz / RATE_HZ / 2
        path.append(np.array([x + (vx * np.cos(middle) - vy * np.sin(middle)) / RATE_HZ,
                              y + (vx * np.sin(middle) + vy * np.cos(middle)) / RATE_HZ, heading + wz / RATE_HZ]))
    return path[1:]
