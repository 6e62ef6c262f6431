"""`hexapod identify` finds a leg's inertias and friction in a bag of its motion, and says what is wrong with other bags."""

import subprocess

import figures
import numpy as np
import pytest

rosbag2 = pytest.importorskip('rosbags.rosbag2', reason='bags are written by rosbags: pip install rosbags')
from rosbags.typesys import Stores, get_typestore

from processes import ROOT, binary
from test_dynamics_pinocchio import executable  # noqa: F401 (a fixture)

STEP_S = 0.005
LEG = 'left_front'
COULOMB, VISCOUS = 0.04, 0.02
TOPIC = '/servo_states'


def swing(seconds):
    """Return angles, speeds and accelerations of the joints of a leg that is moved by sums of sines."""
    random, times = np.random.default_rng(1), STEP_S * np.arange(int(seconds / STEP_S))
    motion = np.zeros((3, len(times), 3))
    for joint, size in enumerate([0.13, 0.2, 0.2]):
        for rate, phase in zip(random.uniform(6, 20, 5), random.uniform(0, 6.28, 5)):
            for order in range(3):
                motion[order, :, joint] += size * rate ** order * np.sin(rate * times + phase + order * np.pi / 2)
    motion[0] += [0.0, 0.2, -1.0]
    return motion


@pytest.fixture(scope='module')
def log(executable):  # noqa: F811
    """Return joint names, angles and efforts of a leg that swings free, friction included."""
    motion = swing(60)
    count = motion.shape[1]
    names = subprocess.run([executable, ROOT / 'urdf' / 'hexapod.urdf'], input=b'', capture_output=True, check=True).stdout
    legs = [leg.split(',') for leg in names.decode().strip().split(';')]
    states = np.zeros((count, 3 * 18 + 12))
    for order in range(3):
        states[:, 18 * order:18 * order + 3] = motion[order]
    states[:, -1] = -9.80665
    raw = subprocess.run([executable, ROOT / 'urdf' / 'hexapod.urdf'], input=states.astype('<f8').tobytes(),
                         capture_output=True, check=True, timeout=60).stdout.split(b'\n', 1)[1]
    torques = np.frombuffer(raw, '<f8').reshape(count, -1)[:, :3]
    return legs[0], motion[0], torques + COULOMB * np.sign(motion[1]) + VISCOUS * motion[1]


def write(folder, log, plugin=rosbag2.StoragePlugin.MCAP, frame='', efforts=True, misdated=None, compressed=None):
    """Write a bag and return its folder; the stamp of the misdated message is far ahead."""
    store = get_typestore(Stores.ROS2_JAZZY)
    state, header, time = (store.types[f'{name}'] for name in
                           ('sensor_msgs/msg/JointState', 'std_msgs/msg/Header', 'builtin_interfaces/msg/Time'))
    names, angles, torques = log
    nothing = np.zeros(0)
    bag = rosbag2.Writer(folder, version=9, storage_plugin=plugin)
    if compressed:
        bag.set_compression(compressed, rosbag2.CompressionFormat.ZSTD)
    with bag:
        connection = bag.add_connection(TOPIC, state.__msgtype__, typestore=store)
        for row, (position, effort) in enumerate(zip(angles, torques)):
            stamp = 1_000_000_000_000 + round(row * STEP_S * 1e9)
            ahead = 10 ** 6 if row == misdated else 0
            message = state(header=header(stamp=time(sec=stamp // 10 ** 9 + ahead, nanosec=stamp % 10 ** 9), frame_id=frame),
                            name=list(names), position=position, velocity=nothing, effort=effort if efforts else nothing)
            bag.write(connection, stamp, store.serialize_cdr(message, state.__msgtype__))
    return folder


def identify(*arguments):
    """Return what the tool says, and its status."""
    done = subprocess.run([binary('hexapod'), 'identify', *arguments], capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr, done.returncode


def test_when_a_leg_swings_free_expect_its_parameters_and_friction_found(tmp_path, log):
    said, status = identify(write(tmp_path / 'bag', log), '--leg', LEG, '--friction')
    assert status == 0 and 'condition' in said and 'residual of left_front_coxa' in said, said
    rows = [line.split() for line in said.splitlines()]
    rubs = [(float(row[3]), float(row[6])) for row in rows if row[:2] == ['friction', 'of']]
    assert len(rubs) == 3 and np.abs(np.array(rubs) - [COULOMB, VISCOUS]).max() < 0.004, said
    numbers = np.array([[float(row[0]), float(row[1])] for row in rows if len(row) > 3 and 'e' in row[0] and 'e' in row[1]
                        and row[0].lstrip('-')[0].isdigit()])
    assert len(numbers) == 15, said
    error = np.abs(numbers[:, 1] - numbers[:, 0]).max() / np.abs(numbers[:, 0]).max()
    figures.note('identify: greatest error of a base parameter', 100 * error, '% of the greatest', 1)
    assert error < 0.01, said


@pytest.mark.parametrize('how', ['sqlite3', 'storage compressed', 'file compressed', 'predicted', 'no efforts', 'still'])
def test_when_a_bag_is_of_no_use_expect_the_reason_reported(tmp_path, log, how):
    names, angles, torques = (part[:400] if hasattr(part, 'shape') else part for part in log)
    folder, word = tmp_path / 'bag', 'measured efforts'
    if how == 'sqlite3':
        write(folder, (names, angles, torques), rosbag2.StoragePlugin.SQLITE3)
        word = 'ros2 bag convert'
    elif 'compressed' in how:
        mode = 'STORAGE' if 'storage' in how else 'FILE'
        write(folder, (names, angles, torques), compressed=rosbag2.CompressionMode[mode])
        word = 'compress --compression none' if mode == 'STORAGE' else 'zstd -d'
    elif how == 'still':
        write(folder, (names, 0 * angles + angles[0], torques))
        word = 'does not show'
    else:
        write(folder, (names, angles, torques), frame='predicted' if how == 'predicted' else '', efforts=how != 'no efforts')
    said, status = identify(folder)
    assert status == 2 and word in said, said


def test_when_a_leg_rubs_and_nobody_asked_expect_a_hint_at_friction(tmp_path, log):
    said, status = identify(write(tmp_path / 'rubs', log), '--leg', LEG)
    assert status == 0 and 'run it with --friction' in said, said


def test_when_a_bag_is_damaged_or_a_stamp_is_wrong_expect_the_rest_used_and_a_report(tmp_path, log):
    folder = write(tmp_path / 'bag', log, misdated=5000)
    said, status = identify(folder, '--leg', LEG, '--friction')
    assert status == 0 and '1 more left out: their stamps' in said and 'the bag is damaged' not in said, said
    bag = next(folder.glob('*.mcap'))
    bag.write_bytes(bag.read_bytes()[:bag.stat().st_size * 3 // 4])
    said, status = identify(folder, '--leg', LEG, '--friction')
    assert status == 0 and 'the bag is damaged' in said, said
