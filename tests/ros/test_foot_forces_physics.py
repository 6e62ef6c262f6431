"""Foot forces estimated from the servos' load of a robot that walks in a physics engine, against the engine's own.

The joint angles are those of the planner's own engine (`hexapod trace`), the estimates those of the library that
state_publisher uses (`examples/feet_raw.rs`), so a run is the same every time and needs no robot running.
"""

import subprocess

import figures
import numpy as np
import pytest

pytest.importorskip('mujoco', reason='MuJoCo is not installed: pip install mujoco')

import mujoco
import physics
from processes import example
from test_physics import trace

TICK_S = 1.0 / physics.RATE_HZ
# A force above this part of the weight is a contact, in the engine's truth: what settles under no load is none.
CONTACT_PART = 0.02
# The count of an encoder, and of a current of 6.5 mA where 2.7 A are the stall torque.
COUNT_RAD = 2 * np.pi / 4096
STALL_COUNTS = 2.7 / 0.0065


@pytest.fixture(scope='module')
def feet_raw():
    """Return the example that estimates forces."""
    return example('hexapod_dynamics', 'feet_raw')


class Walk(physics.World):
    """A robot whose servos and feet are listened to."""

    def __init__(self, names, angles, legs):
        """Put it on the floor."""
        super().__init__(names, angles)
        model = self.model
        self.legs = legs
        self.places = [model.joint(name).qposadr[0] for name in names]
        self.rates = [model.joint(name).dofadr[0] for name in names]
        self.weight = sum(model.body_mass) * -model.opt.gravity[2]
        self.feet = [{body for body in range(model.nbody) if model.body(body).name.startswith(leg + '_')} for leg in legs]
        self.positions, self.efforts, self.spins, self.accelerations, self.forces = [], [], [], [], []
        self.touching_now = []

    def listen(self, angles):
        """Let a tick pass and take down what sensors would say at its end, and the forces that no sensor says.

        Currents and accelerations are means over the tick, as sensors filter them: servos that are commanded a new angle a
        hundred times a second jerk a hundred times a second, always at the same moment of the tick.
        """
        steps, sums = round(TICK_S / physics.STEP_S), [0.0, 0.0, 0.0]
        self.data.ctrl[self.servos] = angles
        for _ in range(steps):
            mujoco.mj_step(self.model, self.data)
            rotation = self.data.body('base_link').xmat.reshape(3, 3)
            sums[0] += self.data.qfrc_actuator[self.rates]
            sums[1] += rotation.T @ (self.data.qacc[:3] - self.model.opt.gravity)
            forces = self.ground(rotation)
            sums[2] += forces
        self.positions.append(self.data.qpos[self.places].copy())
        self.spins.append(self.data.qvel[3:6].copy())
        for kept, total in zip([self.efforts, self.accelerations, self.forces], sums):
            kept.append(total / steps)
        self.touching_now.append(forces[:, 2] > CONTACT_PART * self.weight)

    def ground(self, rotation):
        """Return the force of the ground on each leg, in the frame of the body."""
        forces = np.zeros((len(self.legs), 3))
        for index, contact in enumerate(self.data.contact):
            force = np.zeros(6)
            mujoco.mj_contactForce(self.model, self.data, index, force)
            bodies = [int(self.model.geom_bodyid[geom]) for geom in (contact.geom1, contact.geom2)]
            # The frame's first row points from the first geom to the second, and the force is that on the second.
            world = contact.frame.reshape(3, 3).T @ force[:3]
            for leg, own in enumerate(self.feet):
                forces[leg] += rotation.T @ world * ((bodies[1] in own) - (bodies[0] in own))
        return forces


def walked(folder, command, seconds=8.0):
    """Return a robot that has walked."""
    names, ticks = trace(folder, [(0, *command), (seconds, 0, 0, 0)])
    legs = list(dict.fromkeys(name.rsplit('_', 1)[0] for name in names))
    walk = Walk(names, ticks[0][2], legs)
    for _, _, angles in ticks:
        walk.listen(angles)
    walk.walking = np.array([state == 'walking' for state, *_ in ticks])
    return walk


def estimated(feet_raw, walk, each=1, rounded=False, imu=True):
    """Return per tick and leg the estimated force, the contact and its probability, and the predicted force."""
    positions, efforts = np.array(walk.positions)[::each], np.array(walk.efforts)[::each]
    if rounded:
        random = np.random.default_rng(5)
        step = 1.8 / STALL_COUNTS
        positions = np.round(positions / COUNT_RAD + random.normal(0, 0.5, positions.shape)) * COUNT_RAD
        efforts = np.round(efforts / step + random.normal(0, 1.0, efforts.shape)) * step
    count, legs = len(positions), len(walk.legs)
    level = np.tile([0.0, 0.0, 9.80665], (count, 1))
    bodies = [walk.spins[::each], walk.accelerations[::each]] if imu else [0 * level, level]
    times = 1.0 + each * TICK_S * np.arange(count)[:, None]
    samples = np.hstack([times, positions, efforts, np.full((count, legs), np.nan), *map(np.array, bodies)])
    raw = subprocess.run([feet_raw, physics.URDF, str(physics.ROTOR)], input=samples.astype('<f8').tobytes(),
                         capture_output=True, check=True, timeout=100).stdout.split(b'\n', 1)[1]
    rows = np.frombuffer(raw, '<f8').reshape(count, 8 * legs)
    of = rows[:, :5 * legs].reshape(count, legs, 5)
    return of[:, :, :3], of[:, :, 4] > 0.5, of[:, :, 3], rows[:, 5 * legs:].reshape(count, legs, 3)


def changes(down, least):
    """Return the indices at which a foot comes down for at least so many samples after as many in the air."""
    return [k for k in range(least, len(down) - least)
            if down[k:k + least].all() and not down[k - least:k].any()]


def delays(truth, found, least=6, most=25):
    """Return per touch-down how many samples later it was found; a miss counts as `most`."""
    late = []
    for leg in range(truth.shape[1]):
        seen = changes(found[:, leg], 3)
        for down in changes(truth[:, leg], least):
            near = min((k - down for k in seen), key=abs, default=most)
            late.append(near if abs(near) < most else most)
    return np.array(late)


@pytest.fixture(scope='module')
def walk(tmp_path_factory):
    """Return a robot that has walked ahead."""
    return walked(tmp_path_factory.mktemp('walk'), (0.06, 0.0, 0.0))


@pytest.mark.parametrize('imu', [True, False], ids=['imu', 'no imu'])
def test_when_walking_in_physics_expect_the_weight_on_the_feet_and_each_foots_share(feet_raw, walk, imu):
    forces, _, _, _ = estimated(feet_raw, walk, imu=imu)
    truth, on = np.array(walk.forces), walk.walking & np.isfinite(forces).all(axis=(1, 2))
    error = forces[on] - truth[on]
    vertical = forces[on, :, 2].sum(axis=1).mean() / walk.weight
    rms = np.sqrt((error[:, :, 2] ** 2).mean(axis=0)) / walk.weight
    name = 'with an IMU' if imu else 'without an IMU'
    figures.note(f'foot forces in physics {name}: sum of the vertical', 100 * vertical, '% of the weight', 105)
    figures.note(f'foot forces in physics {name}: worst leg, RMS error', 100 * rms.max(), '% of the weight', 10)
    assert on.sum() > 500
    assert abs(vertical - 1) < 0.05 and rms.max() < 0.10


def test_when_feet_come_down_in_physics_expect_contact_within_20_ms(feet_raw, walk):
    truth = np.array(walk.touching_now)
    _, found, _, _ = estimated(feet_raw, walk)
    late = delays(truth[walk.walking], found[walk.walking]) * TICK_S * 1000
    figures.note('contact in physics: touch-down found after, mean', late.mean(), 'ms')
    figures.note('contact in physics: touch-down found after, worst', np.abs(late).max(), 'ms', 20)
    assert len(late) > 20 and np.abs(late).max() <= 20


def test_when_bus_servos_report_at_50_hz_expect_contact_within_40_ms(feet_raw, walk):
    truth = np.array(walk.touching_now)[::2]
    _, found, _, _ = estimated(feet_raw, walk, each=2, rounded=True, imu=False)
    on = walk.walking[::2]
    late = delays(truth[on], found[on], least=3, most=13) * 2 * TICK_S * 1000
    figures.note('contact in physics from bus servos at 50 Hz: worst', np.abs(late).max(), 'ms', 40)
    assert len(late) > 20 and np.abs(late).max() <= 40
