"""What a listener of tf2 sees: every link, at any time, in one tree for each robot."""

from pathlib import Path
from statistics import median
import time
import xml.etree.ElementTree as ElementTree

import figures
import pytest

pytest.importorskip('rclpy')

from conftest import Session
from processes import ROOT
from tf2_msgs.msg import TFMessage
from tf_buffer import Buffer
from user import User, twist

LINKS = [link.get('name') for link in ElementTree.parse(ROOT / 'urdf' / 'hexapod.urdf').getroot().findall('link')]
WALK_S = 6.0
FOOT_RADIUS_M = 0.007
# Lookups of a listener, and how old what it finds may be.
LOOKUP_HZ, OLDEST_S = 50.0, 0.04
# What all links may take of a core more than odometry alone.
LINKS_PART = 0.003
# How long it is measured, in windows with and without a listener in turn.
MEASURED_S, WINDOW_S = (240.0 if figures.BUSY == 1.0 else 12.0), 2.0


def walk(user):
    """Let a robot stand up and walk a curve with its servos on."""
    user.hear('gait_state')
    user.arm()
    user.stream('cmd_vel', twist(0.06, 0.01, 0.2))
    user.wait_state('walking')


def spin(seconds, *users):
    """Let messages of several users come in and go out."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for user in users:
            user.spin(0.01)


def look_up(heard, fixed, top, links):
    """Look all links up at 50 Hz as the messages came in; return the buffer and how old what was found was, s."""
    buffer, ages, waiting = Buffer(), [], list(heard)
    for each in fixed:
        buffer.take(each.message, fixed=True)
    now, end = heard[0].sent + 0.2, heard[-1].sent
    while now < end:
        while waiting and waiting[0].sent <= now:
            buffer.take(waiting.pop(0).message)
        for link in links:
            stamp = buffer.latest(top, link)
            buffer.lookup(top, link, stamp)
            ages.append(now - stamp / 1e9)
        now += 1.0 / LOOKUP_HZ
    assert len(ages) > len(links) * LOOKUP_HZ * (end - heard[0].sent) * 0.8
    return buffer, sorted(ages)


def assert_fresh(ages, name):
    """Fail on what was looked up and is old; a machine that does other work is late now and then."""
    figures.note(f'oldest transform of any link at 50 Hz, {name}', 1e3 * ages[-1], 'ms', 1e3 * OLDEST_S)
    assert ages[0] > -0.005, 'nothing is of the future'
    assert ages[int(0.98 * len(ages))] <= OLDEST_S
    assert ages[-1] <= OLDEST_S * figures.BUSY


def test_when_the_robot_walks_expect_all_links_looked_up_at_50_hz_and_its_feet_on_the_ground(session, robot):
    user = session.user
    transforms, fixed = user.listen('/tf'), user.listen('/tf_static')
    walk(user)
    start = len(transforms)
    user.spin(WALK_S)
    buffer, ages = look_up(transforms[start:], fixed, 'odom', LINKS)
    assert buffer.frames() == {'odom', 'base_footprint', *LINKS} and len(LINKS) == 26
    assert buffer.parent('base_footprint') == 'base_link'
    assert buffer.backwards == []
    assert_fresh(ages, 'one robot')
    feet = [link for link in LINKS if link.endswith('_foot')]
    until = min(buffer.latest('odom', foot) for foot in feet)
    for stamp in range(until - 3_000_000_000, until, 70_000_000):
        heights = [buffer.lookup('odom', foot, stamp)[0][2] for foot in feet]
        # Feet are the middles of balls; servos turn in steps of 0.4 degrees.
        assert min(heights) == pytest.approx(FOOT_RADIUS_M, abs=0.004), heights
    for stamp in range(until - 3_000_000_000, until, 70_000_000):
        (x, y, _), (turned_x, turned_y, *_) = buffer.lookup('odom', 'base_footprint', stamp)
        body = buffer.lookup('odom', 'base_link', stamp)[0]
        assert buffer.lookup('odom', 'base_footprint', stamp)[0][2] == pytest.approx(0.0, abs=1e-4), 'on the ground'
        assert (x, y) == pytest.approx(body[:2], abs=1e-4), 'below the body'
        assert (turned_x, turned_y) == pytest.approx((0.0, 0.0), abs=1e-4), 'level'
    assert len(fixed) == 1, 'what never moves is published once'


def test_when_joint_states_are_reported_expect_links_of_the_same_stamps(session, robot):
    user = session.user
    user.hear('joint_states', 'gait_state')
    user.stand()
    transforms, joints = user.listen('/tf'), user.listen('joint_states')
    user.spin(2.0)
    reported = {(each.message.header.stamp.sec, each.message.header.stamp.nanosec) for each in joints}
    stamps = [each.header.stamp for each in transforms[-1].message.transforms]
    assert len(stamps) == 20, 'one message for all'
    same = [each for each in transforms[-50:] for stamp in [each.message.transforms[-1].header.stamp]
            if (stamp.sec, stamp.nanosec) in reported]
    assert len(same) >= 45


@pytest.mark.in_turn(2, 1)
def test_when_two_robots_walk_in_their_namespaces_expect_two_trees_that_do_not_touch(tmp_path):
    session = Session(tmp_path, namespace='/left')
    left, right = session.user, User(session.domain, '/right')
    try:
        for side in ('left', 'right'):
            session.start('hexapod', 'run', '--ros-args', '-r', f'__ns:=/{side}')
        transforms, fixed, markers = left.listen('/tf'), left.listen('/tf_static'), right.listen('markers')
        walk(right)
        walk(left)
        start = len(transforms)
        spin(WALK_S, left, right)
        odometry = right.latest('odom')
        assert (odometry.header.frame_id, odometry.child_frame_id) == ('right/odom', 'right/base_link')
        assert {marker.header.frame_id for marker in markers[-1].message.markers} == {'right/base_link'}
        for side in ('left', 'right'):
            own = [f'{side}/{link}' for link in LINKS]
            heard = [each for each in transforms[start:] if each.message.transforms[0].child_frame_id.startswith(side)]
            buffer, ages = look_up(heard, fixed, f'{side}/odom', own)
            assert {frame for frame in buffer.frames() if frame.startswith(side)} == {f'{side}/odom', f'{side}/base_footprint', *own}
            assert buffer.backwards == []
            assert_fresh(ages, f'two robots, {side}')
        assert all('/' in each for each in buffer.frames())
    finally:
        right.close()
        session.close()


def test_when_links_are_switched_off_expect_the_way_of_the_robot_alone(session):
    session.start('hexapod', 'run', '-p', 'state_publisher.publish_link_tf:=false')
    user = session.user
    transforms = user.listen('/tf')
    user.until(lambda: len(transforms) > 20, 10.0, '/tf')
    named = {(each.header.frame_id, each.child_frame_id) for heard in transforms for each in heard.message.transforms}
    assert named == {('odom', 'base_link'), ('base_link', 'base_footprint')}
    assert user.node.count_publishers('/tf_static') == 0


@pytest.mark.parametrize('base, top', [('base_link', 'base_footprint'), ('trunk', 'trunk'), ('', 'base_footprint')])
def test_when_the_root_or_the_base_is_another_frame_expect_one_tree(session, tmp_path, base, top):
    urdf = tmp_path / 'footprint.urdf'
    footprint = ('<link name="base_footprint"/><joint name="lift" type="fixed"><parent link="base_footprint"/>'
                 '<child link="base_link"/><origin xyz="0 0 0.05"/></joint>')
    text = (ROOT / 'urdf' / 'hexapod.urdf').read_text()
    urdf.write_text(text.replace('<link name="base_link">', footprint + '<link name="base_link">', 1))
    session.start('hexapod', 'run', '--urdf', str(urdf), '-p', f'state_publisher.base_frame:="{base}"',
                  '-p', 'state_publisher.frame_prefix:=r2/', '-p', 'state_publisher.odom_frame:=walked')
    user = session.user
    transforms, fixed, markers = user.listen('/tf'), user.listen('/tf_static'), user.listen('markers')
    odometry = user.latest('odom')
    user.until(lambda: markers and fixed and len(transforms) > 20, 10.0, 'markers, /tf and /tf_static')
    assert (odometry.header.frame_id, odometry.child_frame_id) == ('r2/walked', f'r2/{base or "base_footprint"}')
    assert {marker.header.frame_id for marker in markers[-1].message.markers} == {odometry.child_frame_id}
    buffer = Buffer()
    buffer.take(fixed[0].message, fixed=True)
    for each in transforms:
        buffer.take(each.message)
    assert buffer.parent(f'r2/{top}') == 'r2/walked'
    # The robot's own base_footprint is the only one.
    assert buffer.frames() == {f'r2/{link}' for link in {*LINKS, 'base_footprint', 'walked', *filter(None, [base])}}
    for frame in buffer.frames() - {'r2/walked'}:
        assert buffer.chain(frame)[-1] == 'r2/walked'
    stamps = {(each.message.header.stamp.sec, each.message.header.stamp.nanosec): each.message
              for each in user.listen('odom')}
    reported = next(message for each in transforms for message in [stamps.get((
        each.message.transforms[0].header.stamp.sec, each.message.transforms[0].header.stamp.nanosec))] if message)
    at = buffer.lookup('r2/walked', odometry.child_frame_id, reported.header.stamp.sec * 10**9 + reported.header.stamp.nanosec)[0]
    position = reported.pose.pose.position
    assert at == pytest.approx((position.x, position.y, position.z), abs=1e-9), 'odom and /tf agree'


@pytest.mark.parametrize('parameter, value, word', [
    ('base_frame', 'left_front_foot', 'fixed'), ('odom_frame', 'left_front_foot', 'robot itself')])
def test_when_frames_would_not_be_one_tree_expect_status_2_and_why(session, parameter, value, word):
    robot = session.start('hexapod', 'run', '-p', f'state_publisher.{parameter}:={value}')
    assert robot.wait(10.0) == 2
    assert all(each in robot.log() for each in ('state_publisher', parameter, word)), robot.log()


def run_seconds(process):
    """Return the processor time of all threads so far, from the scheduler's own count."""
    threads = Path('/proc', str(process.pid), 'task').glob('*/schedstat')
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


def price_of_a_listener(users, robots, seconds):
    """Return the part of a core that each robot takes for a listener of its /tf, and the part it takes without one.

    Windows with and without one take turns: what a robot takes differs from start to start, and with what else runs.
    """
    without, more = [[] for _ in robots], [[] for _ in robots]
    for _ in range(int(seconds / (2 * WINDOW_S))):
        unheard = parts(users, robots)
        listener = users[0].node.create_subscription(TFMessage, '/tf', lambda _: None, 100)
        spin(0.5, *users)
        heard = parts(users, robots)
        users[0].node.destroy_subscription(listener)
        spin(0.5, *users)
        for index, (on, off) in enumerate(zip(heard, unheard)):
            more[index].append(on - off)
            without[index].append(off)
    return [(median(each), median(base)) for each, base in zip(more, without)]


def parts(users, robots):
    """Return the parts of a core that the robots take for a while."""
    before, began = [run_seconds(robot) for robot in robots], time.monotonic()
    spin(WINDOW_S, *users)
    return [(run_seconds(robot) - used) / (time.monotonic() - began) for robot, used in zip(robots, before)]


@pytest.mark.alone
@pytest.mark.timeout(400)
@pytest.mark.in_turn(3, 2)
def test_when_all_links_are_sent_expect_hardly_more_processor_time(tmp_path):
    session = Session(tmp_path, namespace='/on')
    on, off = session.user, User(session.domain, '/off')
    try:
        with_links = session.start('hexapod', 'run', '--ros-args', '-r', '__ns:=/on')
        without = session.start('hexapod', 'run', '-p', 'state_publisher.publish_link_tf:=false', '--ros-args',
                                '-r', '__ns:=/off')
        walk(on)
        walk(off)
        spin(2.0, on, off)
        (all_links, base), (alone, _) = price_of_a_listener((on, off), (with_links, without), MEASURED_S)
        figures.note('processor while walking, /tf not listened to', 100 * base, '% of a core')
        figures.note('processor that odometry on /tf takes', 100 * alone, '% of a core')
        figures.note('processor that all links on /tf take', 100 * (all_links - alone), '% of a core', 100 * LINKS_PART)
        assert all_links - alone <= LINKS_PART * figures.BUSY
    finally:
        off.close()
        session.close()
