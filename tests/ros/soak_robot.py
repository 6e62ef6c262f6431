"""The robot that is soaked: started, disturbed, and brought back as a user would."""

import shutil
import signal
import time

from boards import HANG_FOR_EVER, HANG_MS, HIGH, LOW, NACK_PPM, TEAR_PPM
import figures
from geometry_msgs.msg import Pose
from processes import ROOT
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Joy
from servo_bus import JOINTS, ON_I2C
from soak_watch import STOP_S
from soak_wire import height_of
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool
from user import Timeout, twist
from voices import Voices
from web import free_port

OE, BUTTON, BATTERY = 17, 22, 23
PINS = (('oe_pin', OE), ('stop_pin', BUTTON), ('battery_pin', BATTERY))
ADDRESSES = (0x40, 0x41)
NODES = ('servo_driver', 'state_publisher', 'gait_planner', 'web_teleop')
DRIVERS, PLANNERS = ('hexapod', 'servo_driver'), ('hexapod', 'gait_planner')
# A robot that does not stand and walk again within this is stuck.
RECOVERY_S = 20.0 * figures.BUSY
START_S = 10.0 * figures.BUSY
# After SIGTERM; a process that ends has sat down by then, whatever the parameters are that make it slow.
# It sits down first; then 5 s where Fast DDS hangs in its end (hexapod_rcl/src/closing.rs).
END_S, SLOW_END_S = 3.0 * figures.BUSY + 5.0, 120.0
# After kill -9, all channels off.
GUARD_S = 1.0
# The body of a robot that sits, above its feet: 30 mm as shipped, when it stands 90.
SEATED_M = 0.045
KEPT = 200
# Beside the shipped ones for six legs: one that takes long to stop, and a hurried one.
MORE_GAITS = {
    'slow': '{duty_factor: 0.5, cycle_time: 8.0, lag: 0.5, side_lag: 0.5, legs: [6]}',
    'hurried': '{duty_factor: 0.5, cycle_time: 0.5, lag: 0.5, side_lag: 0.5, legs: [6]}',
}
# The driver listens in two ways, and the planner.
STOP_LISTENERS = 3
STOP_QOS = {
    'best effort': QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT),
    'reliable': QoSProfile(depth=10),
    'latched': QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL),
}


class Robot:
    """The robot's processes on boards, and the user who drives it."""

    def __init__(self, boards, session, watched):
        """Take what watches over it: chronicle, outputs, listener, processes, memory."""
        self.boards, self.session, self.user = boards, session, session.user
        self.chronicle, self.outputs, self.listener, self.processes, self.memory, self.wire = watched
        self.parts, self.apart, self.guard, self.relaxed, self.others, self.faulty = {}, False, None, [], [], {}
        self.heartbeat_s, self.page_port, self.is_slow, self.pose_refused = 0.0, free_port(), False, False
        # Who beats on `emergency_stop`, who calls over a network that can be held up, and a joystick; none so far.
        self.boxes, self.caller, self.pad, self._met = None, None, None, None
        self.joy = self.user.node.create_publisher(Joy, 'joy', 10)
        self.config = with_more_gaits(session.folder)
        self.stops, self.recoveries = self._stop_publishers(), {}

    # --- processes

    def start(self, apart=False, heartbeat_s=None):
        """Start the robot, composed or by node, and wait until its planner is heard."""
        self.apart, self.is_slow = apart, False
        if heartbeat_s is not None:
            self.heartbeat_s = heartbeat_s
            # What was latched in an earlier phase is heard by every driver to come, to which a false would be a heartbeat.
            for publisher in self.stops.values():
                self.user.node.destroy_publisher(publisher)
            self.stops = self._stop_publishers()
        for name in NODES if apart else ('hexapod',):
            if name not in self.parts:
                self._start(name)
        self.user.until(lambda: self.listener.commands_heard and self.listener.driver_state, START_S, 'the robot')

    def _stop_publishers(self):
        return {name: self.user.node.create_publisher(Bool, 'emergency_stop', qos) for name, qos in STOP_QOS.items()}

    def _start(self, name):
        self.listener.forget(name)
        if name in DRIVERS:
            self.wire.forget()
        beat, page = f'emergency_stop_timeout:={self.heartbeat_s}', f'port:={self.page_port}'
        arguments = {
            'hexapod': ['run', '--config', str(self.config), '--bus', 'i2c', *pins('servo_driver.'), '-p', f'servo_driver.{beat}',
                        '--web', '-p', f'web_teleop.{page}'],
            'servo_driver': [*ON_I2C, *pins(), '-p', beat],
            'gait_planner': ['--ros-args', '-p', f'config:={self.config}'],
            'web_teleop': ['--ros-args', '-p', page],
        }.get(name, ['--ros-args', '--params-file', str(ROOT / 'config' / 'hexapod.yaml')])
        process = self.parts[name] = self.session.start(name, *arguments, environment=self.boards.environment)
        self.processes.watch(process)
        self.memory.watch(process)
        self.chronicle.note(f'{name} started, process {process.pid}')

    def leave(self, name):
        """Expect a process to end; return it."""
        process = self.parts.pop(name)
        self.processes.expect_end(process)
        self.memory.forget(process)
        return process

    def kill(self, name):
        """Kill -9 a process; the guard switches off what the driver has left."""
        process = self.leave(name)
        process.signal(signal.SIGKILL)
        if name in DRIVERS:
            self.outputs.stopped(f'kill -9 of {name}', GUARD_S)
        self.listener.forget(name)
        process.wait()

    def end(self, name, *numbers):
        """End a process in order; it sits down, switches off and returns 0."""
        sits = name in DRIVERS and self._is_to_sit()
        process = self.leave(name)
        healthy = self.is_healthy
        sent = time.monotonic()
        for number in numbers:
            process.signal(number)
        limit = SLOW_END_S if self.is_slow else END_S
        try:
            self.user.until(lambda: not process.is_running(), limit, f'the end of {name}')
        except Timeout as error:
            self.chronicle.violate('a process does not end', f'{error}: {process.log()[-1500:]}')
            process.end()
        if name in DRIVERS:
            self.outputs.stopped(f'the end of {name}', STOP_S * 2.0)
        status = process.wait()
        self.chronicle.note(f'{name} ended with {status} after {time.monotonic() - sent:.2f} s')
        if sits:
            self._look_if_seated(process, status)
        elif status != 0 and (healthy or status != 1):
            self.chronicle.violate('an end out of order', f'{name} with {status}: {process.log()[-1500:]}')
        self.listener.forget(name)

    def _is_to_sit(self):
        """Return whether nothing is in the way of sitting down before the servos are let go."""
        return (self.is_healthy and not self.outputs.is_stopped and not self.relaxed and self.listener.driver_state == 'armed'
                and len(self.boards.pulses()) == len(JOINTS) and any(name in self.parts for name in PLANNERS)
                and self.listener.state in ('sitting', 'standing', 'walking', 'stopping', 'playing'))

    def _look_if_seated(self, process, status):
        """Look how high the body was by the last pulses, and whether the exit status says the same."""
        height = height_of(self.wire.pulses_reported())
        sits = height is None or height < SEATED_M
        words = f'{process.name} with {status}, the body {1e3 * (height or 0.0):.0f} mm high: {process.log()[-1500:]}'
        if sits:
            self.chronicle.note('seated at the end', counted='seated at the end')
        else:
            self.chronicle.violate('not seated at the end', words)
        if sits != (status == 0):
            self.chronicle.violate('an exit status that does not say whether the robot sat', words)

    def close(self):
        """End what runs."""
        self.heal()
        for name in list(self.parts):
            self.end(name, signal.SIGTERM)
        if self.guard:
            self.processes.expect_end(self.guard)
            self.guard.end()
            self.guard = None

    def part(self):
        """End those who are around the robot."""
        for other in (self.boxes, self.caller, self.pad):
            if other:
                other.end()

    # --- the way back

    @property
    def is_healthy(self):
        """Return whether nothing is wrong with boards, bus and supply."""
        return not any(self.faulty.values())

    def heal(self):
        """Mend everything outside the robot, and stop all streams and other programs."""
        self.user.quiet()
        self.listener.may_walk()
        self.thaw()
        for process in self.others:
            process.end()
        self.others.clear()
        if self.caller:
            self.caller.network()
            self.caller.drive(0, 0.0)
        if self.boxes:
            self.beat()
        for fault in (NACK_PPM, TEAR_PPM, HANG_MS, HANG_FOR_EVER):
            self.boards.set(fault, 0)
        for address in ADDRESSES:
            self.boards.kill(address, dead=False)
        self.boards.set_pin(BUTTON, LOW)
        self.boards.set_pin(BATTERY, HIGH)
        self.faulty.clear()
        self.outputs.bus_fails(False)

    def gather(self, boxes, seed):
        """Start those who are around the robot, once."""
        if self.boxes is None:
            self.boxes, self.caller = Voices(self.session, boxes, seed), Voices(self.session, 2, seed)
            config = str(ROOT / 'config' / 'joystick.yaml')
            self.pad = self.session.start('joystick', '--ros-args', '--params-file', config)

    def beat(self, held=()):
        """Let all boxes beat, where that is wanted, and some hold their stop."""
        return self.boxes.beat(range(self.boxes.count) if self.heartbeat_s else [], held=held)

    def meet(self):
        """Wait until whoever runs now has heard of boxes and caller."""
        running = sorted(process.pid for process in self.parts.values())
        if self._met != running:
            for voices in (self.boxes, self.caller):
                voices.meet(STOP_LISTENERS)
            self._met = running

    def freeze(self, name):
        """Halt a process as a debugger does."""
        self.listener.planner_is_frozen |= name in PLANNERS
        self.parts[name].signal(signal.SIGSTOP)

    def thaw(self):
        """Let every process go on."""
        for process in self.parts.values():
            process.signal(signal.SIGCONT)
        self.listener.planner_is_frozen = False

    def recover(self, kinds):
        """Bring the robot back to walking, and note how long that took; whether it came back."""
        self.heal()
        began, words = time.monotonic(), []
        deadline = began + RECOVERY_S
        while time.monotonic() < deadline:
            reason = self._try_to_walk()
            if reason is None:
                took = time.monotonic() - began
                for kind in kinds:
                    self.recoveries.setdefault(kind, []).append(took)
                self.trim()
                self.is_slow = False
                return True
            words.append(reason)
            self.chronicle.note(f'not yet: {reason}')
        self.chronicle.violate('stuck', f'after {", ".join(kinds)}: {words[-3:]}; gait_state {self.listener.state}, '
                                        f'diagnostics {self.listener.said}')
        return False

    def _try_to_walk(self):
        """Go the way back once; return why it could not be gone, or None."""
        if not self.heartbeat_s:
            # It would be missed from now on.
            for publisher in self.stops.values():
                publisher.publish(Bool(data=False))
        try:
            self.let_go()
            if answer := self._enable():
                return answer
            self.user.until(lambda: len(self.boards.pulses()) == len(JOINTS), 5.0, 'pulses for all joints')
            if not (answer := self.ask('stand')).success:
                return f'stand: {answer.message}'
            self.user.until(lambda: self.listener.state == 'standing', 10.0, 'standing')
            # Commands count once the stick was let go, and a stand stops, too.
            self.user.publish('cmd_vel', twist())
            self.user.stream('cmd_vel', twist(0.06))
            self.user.until(lambda: self.listener.state == 'walking', 5.0, 'walking')
        except Timeout as timeout:
            return str(timeout)
        return None

    def let_go(self):
        """Let the stick go, and wait for a robot that sits or stands."""
        self.user.quiet()
        for leg in self.relaxed:
            self.ask(f'relax/{leg}', SetBool.Request(data=False), SetBool)
        self.relaxed.clear()
        self.user.publish('cmd_vel', twist())
        self.user.publish('body_pose', pose())
        self.user.publish('gait', String(data='tripod'))
        self.ask('stop')
        if self.listener.state == 'fault':
            # What the diagnostics say is the way out.
            self.ask('sit')
        self.user.until(lambda: self.listener.state in ('sitting', 'standing'), 12.0, 'sitting or standing')

    def _enable(self):
        """Switch the servos on; return why that was refused, or None."""
        answer = self.enable()
        if answer.success:
            return None
        if self.pose_refused:
            # Where the joints are is not known: after this it is not taken for known.
            self.disable()
        self.user.spin(0.3)
        return f'enable: {answer.message}'

    # --- calls

    def ask(self, name, request=None, service_type=None, seconds=5.0):
        """Call a service."""
        return self.user.call(name, request, service_type, seconds)

    def enable(self):
        """Call `enable` with true."""
        self.user.client('enable')
        token = self.outputs.enabling()
        answer = self.ask('enable', SetBool.Request(data=True))
        self.pose_refused = 'FAILED pose' in answer.message
        if not answer.success:
            self.outputs.refused(token)
            if not answer.message:
                self.chronicle.violate('enable refused without a reason')
        return answer

    def disable(self):
        """Call `enable` with false."""
        future = self.user.client('enable').call_async(SetBool.Request(data=False))
        self.outputs.stopped('enable false')
        if self.pose_refused:
            self.wire.forget()
            self.pose_refused = False
        self.user.until(future.done, 5.0, 'an answer of enable')

    def trim(self):
        """Keep no more of what was heard than is needed."""
        for heard in self.user._heard.values():
            del heard[:-KEPT]


def with_more_gaits(folder):
    """Return the shipped configuration with more gaits."""
    shutil.copytree(ROOT / 'config', folder / 'config')
    with (folder / 'config' / 'gaits.yaml').open('a') as gaits:
        gaits.writelines(f'  {name}: {values}\n' for name, values in MORE_GAITS.items())
    return folder / 'config'


def pins(prefix=''):
    """Return the arguments that name the driver's pins."""
    return [part for pin, number in PINS for part in ('-p', f'{prefix}{pin}:={number}')]


def pose(x=0.0, y=0.0, z=0.0, rx=0.0, ry=0.0, rz=0.0, w=1.0):
    """Return a pose of the body."""
    message = Pose()
    p, o = message.position, message.orientation
    p.x, p.y, p.z, o.x, o.y, o.z, o.w = map(float, (x, y, z, rx, ry, rz, w))
    return message
