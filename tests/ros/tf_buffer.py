"""What tf2's buffer does, for tests: transforms kept by time, looked up between any two frames at any time."""

import bisect
import math

from user import stamp_ns


class LookupError(AssertionError):
    """A transform cannot be looked up: two trees, an unknown frame, a time that is not covered."""


class Buffer:
    """Transforms by child frame, as tf2::BufferCore keeps them, but without forgetting any."""

    def __init__(self):
        """Begin with nothing."""
        self.fixed, self.moving, self.backwards = {}, {}, []

    def take(self, message, fixed=False):
        """Take in a message; a stamp that is not newer than the last of its frame is noted, as tf2 warns of it."""
        for each in message.transforms:
            child, parent, stamp = each.child_frame_id, each.header.frame_id, stamp_ns(each)
            assert child and parent and not (child + parent).startswith('/') and child != parent, (parent, child)
            known = self.parent(child)
            if known not in (None, parent):
                raise LookupError(f'{child} has two parents: {known} and {parent}')
            pose = (vector(each.transform.translation), quaternion(each.transform.rotation))
            assert abs(math.hypot(*pose[1]) - 1.0) < 1e-6, child
            if fixed:
                self.fixed[child] = (parent, pose)
                continue
            _, stamps, poses = self.moving.setdefault(child, (parent, [], []))
            if stamps and stamp <= stamps[-1]:
                self.backwards.append((child, stamps[-1], stamp))
                continue
            stamps.append(stamp)
            poses.append(pose)

    def parent(self, child):
        """Return the frame that carries another, or None."""
        entry = self.fixed.get(child) or self.moving.get(child)
        return entry and entry[0]

    def frames(self):
        """Return the names of all frames."""
        children = {*self.fixed, *self.moving}
        return children | {self.parent(child) for child in children}

    def chain(self, frame):
        """Return a frame and those that carry it, up to the root."""
        chain = [frame]
        while (parent := self.parent(chain[-1])) is not None:
            if parent in chain:
                raise LookupError(f'{parent} carries itself')
            chain.append(parent)
        return chain

    def latest(self, target, source):
        """Return the latest time at which a transform between two frames is known, ns; None where nothing moves."""
        times = [self.moving[frame][1][-1] for frame in self.path(target, source) if frame in self.moving]
        return min(times, default=None)

    def path(self, target, source):
        """Return the frames between two and the nearest that carries both, without that one."""
        up, down = self.chain(source), self.chain(target)
        common = next((frame for frame in up if frame in down), None)
        if common is None or not {target, source} <= self.frames():
            raise LookupError(f'{source} and {target} are not in one tree: {up} and {down}')
        return up[:up.index(common)] + down[:down.index(common)]

    def lookup(self, target, source, stamp):
        """Return the pose of `source` in a frame `target` that carries it, at a time (ns)."""
        chain = self.chain(source)
        if target not in chain:
            raise LookupError(f'{target} does not carry {source}: {chain}')
        pose = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
        for frame in chain[:chain.index(target)]:
            pose = combined(self.at(frame, stamp), pose)
        return pose

    def at(self, frame, stamp):
        """Return the pose of a frame in its parent, between the two that were published."""
        if frame in self.fixed:
            return self.fixed[frame][1]
        _, stamps, poses = self.moving[frame]
        if not stamps[0] <= stamp <= stamps[-1]:
            raise LookupError(f'{frame}: {stamp} is not between {stamps[0]} and {stamps[-1]}')
        after = bisect.bisect_left(stamps, stamp)
        if stamps[after] == stamp:
            return poses[after]
        part = (stamp - stamps[after - 1]) / (stamps[after] - stamps[after - 1])
        return between(poses[after - 1], poses[after], part)


def vector(v):
    """Return a Vector3 as a tuple."""
    return v.x, v.y, v.z


def quaternion(q):
    """Return a Quaternion as a tuple."""
    return q.x, q.y, q.z, q.w


def rotated(q, v):
    """Return a vector turned by a quaternion."""
    x, y, z, w = q
    cross = (y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0])
    twice = (y * cross[2] - z * cross[1], z * cross[0] - x * cross[2], x * cross[1] - y * cross[0])
    return tuple(a + 2 * (w * b + c) for a, b, c in zip(v, cross, twice))


def combined(first, second):
    """Return the pose of a frame at `second` in a frame at `first`."""
    (a, p), (b, q) = first, second
    rotation = (p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1], p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0],
                p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3], p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2])
    return tuple(x + y for x, y in zip(a, rotated(p, b))), rotation


def between(before, after, part):
    """Return a pose between two: the straight line, and the rotation as near neighbours have it."""
    sign = math.copysign(1.0, sum(x * y for x, y in zip(before[1], after[1])))
    mixed = [x + part * (sign * y - x) for x, y in zip(before[1], after[1])]
    length = math.hypot(*mixed)
    return tuple(x + part * (y - x) for x, y in zip(before[0], after[0])), tuple(x / length for x in mixed)
