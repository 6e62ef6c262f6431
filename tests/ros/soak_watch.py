"""What must never happen, looked at all the time while the robot is soaked: outputs, messages, processes."""

from collections import Counter, defaultdict, deque, namedtuple
import math
import statistics
import threading
import time

from diagnostic_msgs.msg import DiagnosticArray
import figures
from geometry_msgs.msg import Twist
from inbox import Inbox
from limits import LIMITS
from nav_msgs.msg import Odometry
import rclpy
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from servo_bus import PLUG, SERVOS
from std_msgs.msg import Float64, String
from user import listener_qos, stamp_ns

OE = 17
LOOK_S, SLOW_LOOK_S = 0.005, 0.2
HISTORY_S, AGAIN_S = 10.0, 5.0
DIAGNOSTICS_BYTES = 16 * 1024
STOP_S = 0.05 * figures.BUSY
# An edge of OE that came while a stop was still being sent is its doing.
EDGE_S = 0.02
# From a stop to a robot that does not walk any more.
HALT_S = 0.3 * figures.BUSY
# Stamps that differ by more than this tell of a clock that was set.
CLOCK_SET_S = 60.0
# From a healthy bus to boards that are written what OE has done already.
REPORTED_S = 1.0
# Walking goes on for `cmd_vel_timeout` (0.5 s by default) after the last command; then the robot stops.
WALK_S = 0.5 + 1.0 * figures.BUSY
RATE_HZ = 100.0
# A watch that has not looked for this long was kept from it by the machine, as was the listener.
STALL_S = 0.5
# Two counts of a pulse, rad; a tick of the bus that a busy machine serves late, s.
COUNTS_RAD, TICK_S = 0.016, 0.012 * figures.BUSY
# A body that leans more has fallen; leans are kept for so long.
FALLEN_DEG, LEANS_S = 60.0, 4.0
# From here on the planner may call it fallen.
MAY_HAVE_FALLEN_DEG = 40.0
CRASH = ('panicked', 'Segmentation', 'SIGSEGV', 'double free', 'corrupt', 'Assertion', 'terminate called')

Violation = namedtuple('Violation', 'at what detail history')


class Chronicle:
    """What was done and what went wrong, in seconds since the start."""

    def __init__(self, reported=False):
        """Begin; tell all of it as it happens, if wanted."""
        self.reported, self.start = reported, time.monotonic()
        self.counts, self.violations, self.repeated = Counter(), [], Counter()
        self._recent, self._last, self._lock = deque(), {}, threading.Lock()

    def elapsed(self):
        """Return the time since the start, s."""
        return time.monotonic() - self.start

    def note(self, words, counted=None):
        """Keep what is done now."""
        with self._lock:
            now = self.elapsed()
            if counted is not None:
                self.counts[counted] += 1
            if self.reported:
                print(f'{now:.2f} s {words}', flush=True)
            self._recent.append((now, words))
            while self._recent[0][0] < now - HISTORY_S:
                self._recent.popleft()

    def violate(self, what, detail=''):
        """Keep a violation and what led to it; one that goes on counts once."""
        with self._lock:
            now = self.elapsed()
            goes_on = now - self._last.get(what, -math.inf) < AGAIN_S
            self._last[what] = now
            self.repeated[what] += 1
            if not goes_on:
                history = [each for each in self._recent if each[0] >= now - HISTORY_S]
                self.violations.append(Violation(now, what, str(detail)[:2000], history))
                # At once: the report may be hours away.
                print(f'{now:.2f} s VIOLATION {what}: {str(detail)[:500]}', flush=True)


class Outputs:
    """No pulse from a stop on until an enable that was sent after it, and never one outside the calibration."""

    def __init__(self, boards, chronicle):
        """Look at these boards."""
        self.boards, self.chronicle = boards, chronicle
        self._lock, self._since, self._why = threading.Lock(), None, ''
        self._healthy_since, self._out_of_bounds, self._enables = 0.0, boards.violations(), 0
        self.latencies, self._timed = defaultdict(list), None

    def stopped(self, why, within=STOP_S):
        """Expect no pulse soon after now; what may take no time is timed."""
        with self._lock:
            now = time.monotonic()
            since = now + within
            if within <= STOP_S and self._timed is None and self._since is None:
                self._timed = why, now
            if self._since is None or since < self._since:
                self._since, self._why = since, why

    def enabling(self):
        """Take pulses for allowed, because `enable` is about to be sent; return what `refused` needs."""
        with self._lock:
            before, self._since, self._timed = self._since, None, None
            self._enables += 1
            return before, self._enables

    def refused(self, token):
        """Take back what `enabling` has allowed."""
        before, number = token
        with self._lock:
            if number == self._enables and self._since is None and before is not None:
                self._since, self._why = max(before, time.monotonic() + STOP_S), f'{self._why}, then a refused enable'

    def bus_fails(self, fails):
        """Say whether boards can be reached."""
        self._healthy_since = math.inf if fails else time.monotonic()

    def look(self):
        """Look once."""
        with self._lock:
            since, now, why = self._since, time.monotonic(), self._why
            self._time()
            if since is not None and now > since:
                if not self.boards.is_high(OE):
                    late = f'{(now - since) * 1e3:.0f} ms late; pulses {len(self.boards.pulses())}'
                    self.chronicle.violate(f'OE low after {why}', late)
                elif now > max(since, self._healthy_since) + REPORTED_S * figures.BUSY and (on := self._reported()):
                    self.chronicle.violate(f'boards not written after {why}', on)
        if (count := self.boards.violations()) != self._out_of_bounds:
            self._out_of_bounds = count
            self.chronicle.violate('a pulse outside the calibration', f'{count} so far')

    def _time(self):
        """Take the time from a stop to OE, once it is high; none if it was high before."""
        if self._timed is not None and self.boards.is_high(OE):
            (why, at), self._timed = self._timed, None
            if (took := self.boards.rose(OE) - at) > -EDGE_S:
                self.latencies[why].append(max(0.0, took))

    @property
    def has_timed(self):
        """Return whether the time of the last stop is known: none is being taken."""
        return self._timed is None

    @property
    def is_stopped(self):
        """Return whether no pulse is allowed."""
        return self._since is not None

    def _reported(self):
        """Return the joints whose board would give a pulse if OE were low."""
        read = self.boards.register
        return [joint for joint, (address, channel) in PLUG.items()
                if not read(address, 0x00) & 0x10 and not read(address, 0x09 + 4 * channel) & 0x10]


class Listener:
    """What the nodes say: a listener of its own, in its own thread, that keeps nothing but what it needs."""

    def __init__(self, domain, chronicle):
        """Join the domain."""
        self.chronicle, self.lateness, self.state, self.driver_state = chronicle, defaultdict(list), None, None
        self.largest_diagnostics, self.commands_heard, self._walk_commanded = 0, 0, time.monotonic()
        self._commands, self._servos, self.said, self._ended = {}, {}, {}, threading.Event()
        self._jumps, self._looked, self._served_since = [], time.monotonic(), time.monotonic()
        self._still, self.planner_is_frozen = (None, math.inf), False
        self.condition, self.conditions, self.servos_on = None, Counter(), False
        self.lean, self.lean_at, self.leans_since, self.leans = 0.0, 0.0, None, deque()
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node('soak_listener', context=self.context, start_parameter_services=False, enable_rosout=False)
        self._subscribe()
        self._inbox = Inbox(self.context, self.node)
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _subscribe(self):
        """Listen to what is checked."""
        deep = QoSProfile(depth=1000)
        self.node.create_subscription(JointState, 'joint_commands', self._joint_commands, deep)
        self.node.create_subscription(JointState, 'servo_states', self._servo_states, deep)
        self.node.create_subscription(String, 'gait_state', self._gait_state, listener_qos('gait_state'))
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self._diagnostics, deep, raw=True)
        self.node.create_subscription(Odometry, 'odom_true', self._odom_true, deep)
        self.node.create_subscription(Twist, 'cmd_vel', lambda twist: self._walk(twist.linear.x), deep)
        self.node.create_subscription(Float64, 'velocity', lambda velocity: self._walk(velocity.data), deep)

    def _spin(self):
        while not self._ended.is_set():
            self._inbox.take(0.05)

    def close(self):
        """Leave the domain."""
        self._ended.set()
        self._thread.join()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    def forget(self, name):
        """Begin anew with one process: it ends or starts."""
        if name in ('hexapod', 'gait_planner'):
            self._commands, self.state, self.commands_heard = {}, None, 0
        if name in ('hexapod', 'servo_driver'):
            self._servos, self.driver_state = {}, None
        self.said = {}
        self._jumps.clear()

    def look(self):
        """Look at what has not come; what a machine that stood still has kept from this listener counts for nothing."""
        now = time.monotonic()
        if now - self._looked > STALL_S:
            self.chronicle.note(f'the watch was held up for {now - self._looked:.2f} s', counted='held up')
            self._served_since = now
        self._looked = now
        if self.planner_is_frozen:
            self._served_since = now
        why, since = self._still
        if self.state == 'walking' and now > max(since, self._served_since + HALT_S):
            self.chronicle.violate('walking before the stick was let go', why)
        silent = now - max(self._walk_commanded, self._served_since)
        if self.state == 'walking' and silent > WALK_S:
            self.chronicle.violate('walking without a command', f'for {silent:.2f} s')

    def stays(self, why):
        """Expect the robot not to walk soon after now, whoever pushes a stick."""
        self._still = why, time.monotonic() + HALT_S

    def may_walk(self):
        """Take a walk for allowed: somebody lets go of the stick."""
        self._still = None, math.inf

    @property
    def commands(self):
        """Return the last angle of each joint that the planner commanded."""
        return {name: angle for name, angle in self._commands.items() if name != 'stamp'}

    def _walk(self, value):
        if math.isfinite(value):
            self._walk_commanded = time.monotonic()

    def _gait_state(self, message):
        if message.data != self.state:
            self.chronicle.note(f'gait_state {message.data}')
        self.state = message.data

    def _joint_commands(self, message):
        # The soak's own, as all that it sends, have no stamp.
        stamp = stamp_ns(message) / 1e9
        if stamp == 0.0:
            return
        self.commands_heard += 1
        if sorted(message.name) != sorted(LIMITS) or len(message.position) != len(LIMITS):
            self.chronicle.violate('joint_commands of wrong joints', message.name)
            return
        for name, position in zip(message.name, message.position):
            limit = LIMITS[name]
            if not (math.isfinite(position) and limit.lower <= position <= limit.upper):
                self.chronicle.violate('joint_commands beyond limits', f'{name} at {position}')
        if not all(map(math.isfinite, [*message.velocity, *message.effort])):
            self.chronicle.violate('joint_commands not finite', message.velocity)
        if abs(stamp - self._commands.get('stamp', stamp)) > CLOCK_SET_S:
            self._commands = {}
        ticks = max(1, round((stamp - self._commands['stamp']) * RATE_HZ)) if self._commands else 1
        for name, position in zip(message.name, message.position):
            moved = abs(position - self._commands.get(name, position))
            if moved > LIMITS[name].velocity * ticks / RATE_HZ * (1.0 + 1e-6) + 1e-9:
                self._jumps.append((name, position, f'{name} by {moved:.3f} rad in {ticks} ticks'))
        self._commands = {'stamp': stamp, **dict(zip(message.name, message.position))}

    def _servo_states(self, message):
        stamp = stamp_ns(message) / 1e9
        if stamp == 0.0:
            return
        self.servos_on = bool(message.name)
        reported = {name: (stamp, position) for name, position in zip(message.name, message.position)}
        for name, position, jump in self._jumps:
            # A planner that finds servos switched on takes their pose, in one tick; what is off may be commanded
            # anything.
            ats = [servos[name][1] for servos in (self._servos, reported) if name in servos]
            if ats and min(abs(position - at) for at in ats) > COUNTS_RAD:
                self.chronicle.violate('joint_commands too fast', f'{jump}; the servo is at {ats[-1]:.3f} rad')
        self._jumps.clear()
        for name, (_, position) in reported.items():
            then, before = self._servos.get(name, (stamp, position))
            if abs(stamp - then) > CLOCK_SET_S:
                then, before = stamp, position
            allowed = SERVOS['servos'][name]['speed_limit_rad_s'] * (stamp - then + TICK_S) + COUNTS_RAD
            if not math.isfinite(position) or abs(position - before) > allowed:
                took = f'{before:.3f} to {position:.3f} rad in {(stamp - then) * 1e3:.1f} ms'
                self.chronicle.violate('a joint jumped', f'{name}: {took}')
        self._servos = reported

    def _odom_true(self, message):
        """Keep how far the body truly leans, degrees, where physics tell."""
        now, q = time.monotonic(), message.pose.pose.orientation
        self.lean = math.degrees(math.acos(max(-1.0, min(1.0, 1.0 - 2.0 * (q.x * q.x + q.y * q.y)))))
        self.leans_since = (self.leans_since or now) if self.lean > FALLEN_DEG else None
        self.leans.append((now, self.lean))
        while self.leans[0][0] < now - LEANS_S:
            self.leans.popleft()
        self.lean_at = now

    def _diagnostics(self, data):
        self.largest_diagnostics = max(self.largest_diagnostics, len(data))
        if len(data) > DIAGNOSTICS_BYTES:
            self.chronicle.violate('large diagnostics', f'{len(data)} bytes')
        for status in deserialize_message(data, DiagnosticArray).status:
            values = {pair.key: pair.value for pair in status.values}
            node = status.name.rsplit('/', 1)[-1].split(':')[0]
            if 'lateness p99 (us)' in values:
                self.lateness[node].append(float(values['lateness p99 (us)']))
            if node == 'servo_driver':
                self.driver_state = values.get('state')
            if node == 'gait_planner':
                self.condition = values.get('condition')
                self.conditions[self.condition] += 1
            if self.said.get(node) != status.message:
                self.said[node] = status.message
                self.chronicle.note(f'{node}: {status.message[:200]}')
                # Neither a machine that gives the loop no time nor a robot that was pushed over is at fault.
                leant = any(lean > MAY_HAVE_FALLEN_DEG for _, lean in list(self.leans))
                is_excused = 'ticks' in status.message or ('has fallen' in status.message and leant)
                if node == 'gait_planner' and status.message.startswith('fault') and not is_excused:
                    self.chronicle.violate('the planner is at fault', status.message)

    def lateness_table(self):
        """Return node, median and greatest of the seconds' p99, us."""
        return [(node, statistics.median(values), max(values)) for node, values in sorted(self.lateness.items()) if values]


class Processes:
    """Processes end when they are asked to, and leave no trace of a crash."""

    def __init__(self, chronicle):
        """Watch none so far."""
        self.chronicle, self._alive, self._read = chronicle, set(), {}

    def watch(self, process):
        """Expect it to run from now on."""
        self._alive.add(process)
        self._read[process] = 0

    def expect_end(self, process):
        """Do not mind when it ends."""
        self._alive.discard(process)

    def look(self):
        """Look once."""
        for process in list(self._alive):
            if not process.is_running():
                self._alive.discard(process)
                end = f'{process.name} with {process.popen.returncode}'
                self.chronicle.violate('a process ended by itself', f'{end}: {process.log()[-1500:]}')
        for process in list(self._read):
            self._scan(process)
            if not process.is_running() and process not in self._alive:
                self._scan(process)
                self._read.pop(process, None)

    def _scan(self, process):
        """Look for traces of a crash in what was printed since last time, whole lines only."""
        with process.log_path.open('rb') as log:
            log.seek(self._read[process])
            data = log.read(1 << 20)
        lines = data[:data.rfind(b'\n') + 1]
        self._read[process] += len(lines)
        bad = [line for line in lines.decode(errors='replace').splitlines() if any(word in line for word in CRASH)]
        if bad:
            self.chronicle.violate('a crash', f'{process.name}: {bad[:5]}')


class Watch:
    """All of it, on a thread of its own."""

    def __init__(self, chronicle, parts, slow_parts):
        """Begin."""
        self._parts, self._slow = parts, slow_parts
        self._chronicle, self._ended = chronicle, threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self):
        due = 0.0
        while not self._ended.wait(LOOK_S):
            for part in self._parts:
                self._try(part)
            if time.monotonic() >= due:
                due = time.monotonic() + SLOW_LOOK_S
                for part in self._slow:
                    self._try(part)

    def _try(self, part):
        """Look; what goes wrong in looking must not end it unseen."""
        try:
            part.look()
        except Exception as error:  # noqa: B902
            self._chronicle.violate('the watch failed', f'{type(part).__name__}: {error!r}')

    def close(self):
        """Look no more."""
        self._ended.set()
        self._thread.join()
