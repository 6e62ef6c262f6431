"""What a recording of a walk tells: limits kept, feet down, no slip, the path."""

from bisect import bisect_right
from collections import namedtuple
import math

import numpy as np

from robot_model import JOINTS, LEGS, LIMITS, Kinematics, pose_of
from user import stamp_ns

TOPICS = ('joint_commands', 'foot_contacts', 'commanded_twist', 'odom')
RATE_HZ = 100.0

# One tick: stamp (ns), joints by name, contacts by leg, twist (vx, vy, wz).
Tick = namedtuple('Tick', 'stamp joints contacts twist')


def ticks_of(commands, contacts, twists):
    """
    Put together what the planner sent in the same tick. Only joint_commands has a stamp, so the order of sending counts.

    In a tick that is contacts, commands and, every second time, the twist, which holds until the next.
    """
    result = []
    contact_times, twist_times = [each.sent for each in contacts], [each.sent for each in twists]
    sent = [-math.inf, *(command.sent for command in commands), math.inf]
    for before, command, after in zip(sent, commands, sent[2:]):
        contact = last_before(contacts, contact_times, command.sent)
        walked = last_before(twists, twist_times, after)
        if contact and contact.sent > before and walked:
            result.append(Tick(stamp_ns(command.message), dict(zip(command.message.name, command.message.position)),
                               contacts_of(contact.message), twist_of(walked.message)))
    return result


def last_before(heard, times, at):
    """Return the last message that was sent before a time."""
    index = bisect_right(times, at)
    return heard[index - 1] if index else None


def contacts_of(message):
    """Return which legs stand, by name."""
    names = message.layout.dim[0].label.split(',')
    assert sorted(names) == LEGS and len(message.data) == len(names)
    return {name: bool(down) for name, down in zip(names, message.data)}


def twist_of(message):
    """Return a Twist as (vx, vy, wz); the others are zero."""
    assert (message.linear.z, message.angular.x, message.angular.y) == (0.0, 0.0, 0.0)
    return message.linear.x, message.linear.y, message.angular.z


def assert_steady_rate(commands, rate_hz=RATE_HZ, part=0.02):
    """Fail when stamps or times of sending do not follow each other at the rate; a busy machine may cost some ticks."""
    stamps = np.array([stamp_ns(each.message) for each in commands]) / 1e9
    sent = np.array([each.sent for each in commands])
    for times in (stamps, sent):
        rate = (len(times) - 1) / (times[-1] - times[0])
        assert abs(rate / rate_hz - 1.0) <= part, f'{rate:.2f} Hz'
    assert (np.diff(stamps) > 0).all()
    return rate


def assert_sane(heard, rate_hz=RATE_HZ):
    """As `assert_commands_sane`, of what was heard of them."""
    return assert_commands_sane((each.message for each in heard), rate_hz)


def assert_commands_sane(commands, rate_hz=RATE_HZ):
    """Fail on a joint that is missing, not finite, beyond its limits, or faster than it can be; return the worst part."""
    worst, before = 0.0, None
    for message in commands:
        assert set(message.name) == JOINTS and len(message.name) == len(JOINTS)
        assert len(message.position) == len(JOINTS) and len(message.velocity) in (0, len(JOINTS))
        joints = dict(zip(message.name, message.position))
        for values in (message.position, message.velocity, message.effort):
            assert all(map(math.isfinite, values))
        for name, position in joints.items():
            limit = LIMITS[name]
            assert limit.lower <= position <= limit.upper, (name, position)
            if before:
                part = abs(position - before[name]) * rate_hz / limit.velocity
                assert part <= 1.0 + 1e-6, f'{name} moved at {part:.2f} of its greatest velocity'
                worst = max(worst, part)
        before = joints
    return worst


def assert_feet_down(ticks):
    """Fail on a tick with fewer than three feet on the ground."""
    fewest = min(sum(tick.contacts.values()) for tick in ticks)
    assert fewest >= 3, f'only {fewest} feet down'


def greatest_slip(ticks, odometry):
    """Return how far any foot moved on the ground in one step (m), and how many steps were seen."""
    poses = {stamp_ns(each.message): pose_of(each.message) for each in odometry}
    kinematics = Kinematics()
    standing, worst, steps, used = {}, 0.0, 0, 0
    for tick in ticks:
        pose = poses.get(tick.stamp)
        feet = None
        if pose:
            used += 1
            feet = kinematics.feet(tick.joints.keys(), tick.joints.values()) @ pose[0].T + pose[1]
        for index, leg in enumerate(LEGS):
            if not tick.contacts[leg]:
                steps += leg in standing
                standing.pop(leg, None)
            elif pose:
                first = standing.setdefault(leg, [])
                first.append(feet[index])
                worst = max(worst, np.linalg.norm(np.array(first) - feet[index], axis=1).max())
    assert used >= 0.3 * len(ticks), f'{used} of {len(ticks)} ticks have an odom of the same stamp'
    return worst, steps


def integral(ticks, rate_hz=RATE_HZ):
    """Return the pose (x, y, heading) the commanded twists lead to, one for each tick, from zero."""
    x = y = heading = 0.0
    path = [(x, y, heading)]
    for tick in ticks[1:]:
        vx, vy, wz = tick.twist
        middle = heading + wz / rate_hz / 2
        x += (vx * math.cos(middle) - vy * math.sin(middle)) / rate_hz
        y += (vx * math.sin(middle) + vy * math.cos(middle)) / rate_hz
        heading += wz / rate_hz
        path.append((x, y, heading))
    return path


def planar(odometry):
    """Return an Odometry's pose as (x, y, heading)."""
    rotation, translation = pose_of(odometry)
    return translation[0], translation[1], math.atan2(rotation[1, 0], rotation[0, 0])


def relative(first, second):
    """Return a planar pose as seen from another; the heading is in (-pi, pi]."""
    dx, dy = second[0] - first[0], second[1] - first[1]
    cos, sin = math.cos(first[2]), math.sin(first[2])
    turned = math.remainder(second[2] - first[2], 2 * math.pi)
    return cos * dx + sin * dy, -sin * dx + cos * dy, turned


def turning_centre(first, second):
    """Return the point (x, y) in the first pose's frame that a motion on a circle leaves where it is."""
    x, y, turned = relative(first, second)
    half = 0.5 / math.tan(turned / 2)
    return x / 2 - y * half, y / 2 + x * half
