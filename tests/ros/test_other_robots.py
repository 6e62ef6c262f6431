"""`hexapod run --urdf other.urdf` walks other robots: other numbers of legs and joints, public ones, no other changes."""

import math
import shutil
import time

import other_robots
import processes
import pytest

pytest.importorskip('rclpy')

from user import stamp_ns, twist

WALK_S = 5.0
# Legs, and joints of all legs, of the robots written here.
SHAPES = {'quadruped': (4, 12), 'octopod': (8, 24), 'four_joints': (6, 24), 'five_joints': (6, 30), 'dog': (4, 12),
          'meshes_only': (6, 18)}
PUBLIC = ['solo12', 'a1', 'hyq', 'anymal_kinova']
# Those that walk on no gait that would be chosen for them.
ONLY_TROT = ['go2']


@pytest.fixture(params=[*SHAPES, *PUBLIC])
def other(request, tmp_path):
    """Return a robot's name and its URDF."""
    name = request.param
    if name in SHAPES:
        file = tmp_path / f'{name}.urdf'
        file.write_text(other_robots.WRITTEN[name]())
        return name, file
    file = other_robots.public(name)
    if file is None:
        pytest.skip('example-robot-data (PyPI) is not installed')
    return name, file


@pytest.mark.draw(3)
def test_when_another_robot_is_run_expect_it_to_stand_and_walk(session, other):
    name, file = other
    session.start('hexapod', 'run', '--urdf', str(file))
    user = session.user
    commands, contacts, odometry = user.hear('joint_commands', 'foot_contacts', 'odom')
    legs, joints = SHAPES.get(name, (4, 12))
    user.arm()
    user.stand()
    standing = len(commands)
    assert len(commands[-1].message.name) == joints
    began = time.monotonic()
    user.stream('cmd_vel', twist(0.03, 0.01, 0.05))
    user.spin(WALK_S)
    assert user.listen('gait_state')[-1].message.data == 'walking'
    user.quiet()
    # Longer than it was to be where the machine held us up.
    walked_s = time.monotonic() - began
    user.wait_state('standing')
    # A body that swayed over its feet comes back to their middle.
    user.spin(1.5)

    assert_within_limits(commands, other_robots.limits_of(file))
    down = [sum(each.message.data) for each in contacts]
    names = contacts[-1].message.layout.dim[0].label.split(',')
    assert len(names) == len(set(names)) == legs
    assert min(down) >= 3, f'{min(down)} feet down'
    assert min(down) < legs, 'it does step'
    assert all(moved(commands[standing:], joint) for joint in commands[-1].message.name), 'every leg takes part'
    assert odometry[-1].message.child_frame_id == other_robots.root_of(file), 'what rviz has to hang the robot on'
    pose = odometry[-1].message.pose.pose
    way = math.hypot(pose.position.x, pose.position.y)
    asked = walked_s * math.hypot(0.03, 0.01)
    assert 0.5 * asked < way < 1.1 * asked, (way, asked)
    assert abs(2 * math.atan2(pose.orientation.z, pose.orientation.w)) > 0.1
    user.call('sit')
    user.wait_state('sitting', seconds=30.0)


@pytest.mark.parametrize('given', [False, True])
def test_when_legs_do_not_fold_by_themselves_expect_pack_refused_until_a_packed_pose_is_given(session, tmp_path, given):
    urdf, config = tmp_path / 'four_joints.urdf', tmp_path / 'config'
    urdf.write_text(other_robots.four_joints())
    shutil.copytree(processes.ROOT / 'config', config)
    if given:
        file = config / 'robot.yaml'
        file.write_text(file.read_text() + '\npacked: {all: [0.0, 1.2, -1.2, -1.2]}\n')
    session.start('hexapod', 'run', '--urdf', str(urdf), '--config', str(config))
    user = session.user
    contacts, _ = user.hear('foot_contacts', 'gait_state')
    user.stand()
    answer = user.call('pack')
    assert answer.success == given, answer.message
    if given:
        user.wait_state('sitting', seconds=30.0)
        user.until(lambda: not any(contacts[-1].message.data), 5.0, 'all legs folded')
        return
    assert 'packed' in answer.message and str(config / 'robot.yaml') in answer.message, answer.message
    user.diagnostics('gait_planner', lambda status: status.rejected('pack') == 1)
    user.spin(1.0)
    assert user.latest('gait_state').data == 'standing', 'and nothing is done'


def assert_within_limits(commands, limits):
    """Fail on a joint that is not finite, beyond its limits or too fast."""
    before, at = {}, None
    for each in commands:
        message, stamp = each.message, stamp_ns(each.message) / 1e9
        for joint, position in zip(message.name, message.position):
            lower, upper, velocity = limits[joint]
            assert math.isfinite(position) and lower - 1e-9 <= position <= upper + 1e-9, (joint, position)
            if joint in before:
                # Ticks are 10 ms apart; one that is late may carry up to 100 ms of motion.
                assert abs(position - before[joint]) <= velocity * max(stamp - at, 0.01) * 1.001 + 1e-6, joint
            before[joint] = position
        at = stamp


def moved(commands, joint):
    """Return whether a joint ever moved."""
    index = commands[0].message.name.index(joint)
    positions = [each.message.position[index] for each in commands]
    return max(positions) - min(positions) > 1e-4


def test_when_another_robot_meets_a_real_bus_expect_its_servo_map_asked_for(session, tmp_path):
    file = tmp_path / 'octopod.urdf'
    file.write_text(other_robots.octopod())
    process = session.start('hexapod', 'run', '--urdf', str(file), '--bus', 'i2c')
    assert process.wait() == 2
    assert 'servos.yaml' in process.log() and 'no such joint' in process.log(), process.log()
    processes.assert_no_crash(process)


def test_when_another_robot_is_checked_expect_its_gait_and_servos_reported(session, tmp_path):
    file = tmp_path / 'quadruped.urdf'
    file.write_text(other_robots.quadruped())
    process = session.start('hexapod', 'check', '--urdf', str(file))
    assert process.wait() == 0, process.log()
    log = process.log()
    for words in ('4 legs, 12 joints', 'starts   with crawl', 'simulated servo', 'gripper', 'not for this robot'):
        assert words in log, log


@pytest.mark.parametrize('name', other_robots.PUBLIC)
def test_when_a_public_robot_is_checked_expect_it_and_a_folder_of_its_own_to_hold(session, name, tmp_path):
    file = other_robots.public(name)
    if file is None:
        pytest.skip('example-robot-data (PyPI) is not installed')
    process, new = session.start('hexapod', 'check', '--urdf', str(file)), ['--into', str(tmp_path / name)]
    status = process.wait()
    if name in ONLY_TROT:
        assert status == 2 and 'set `gait: trot` in hexapod.yaml' in process.log(), process.log()
        new += ['--gait', 'trot']
    else:
        assert status == 0 and 'starts   with crawl' in process.log(), process.log()
    process = session.start('hexapod', 'new', str(file), *new)
    assert process.wait() == 0, process.log()
    process = session.start('hexapod', 'check', '--config', str(tmp_path / name))
    assert process.wait() == 0, process.log()
    starts = 'trot' if name in ONLY_TROT else 'crawl'
    assert '4 legs, 12 joints' in process.log() and f'starts   with {starts}' in process.log(), process.log()
