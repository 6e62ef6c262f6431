"""What a soaked robot meets: each event with its dice, so that a seed gives the same again."""

import os
import signal
import time

from boards import HANG_FOR_EVER, HANG_MS, HIGH, LOW, NACK_PPM, OPEN, TEAR_PPM
import flooder
from processes import ROOT
import rclpy
from rclpy.serialization import serialize_message
from servo_bus import joint_state, JOINTS, ON_I2C
from soak_robot import ADDRESSES, BATTERY, BUTTON, MORE_GAITS, OE, pins, pose, STOP_QOS
from soak_trouble import BEATING, Trouble, TROUBLE
from soak_watch import STOP_S
from std_msgs.msg import Bool, Float64, String
from std_srvs.srv import SetBool, Trigger
from test_guard import is_running
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from user import twist, TYPES
import yaml

# A driver that starts a guard in place of one that died has done so by then.
GUARD_RETURNS_S = 2.0
GAITS = ['tripod', 'ripple', 'amble', 'wave', *MORE_GAITS]
MOTIONS = list(yaml.safe_load((ROOT / 'config' / 'motions.yaml').read_text())['motions'])
LEGS = flooder.LEGS
# Messages of the flooder that are no nonsense, or that stop.
NO_NONSENSE = ('emergency_stop true', 'cmd_vel valid', 'velocity valid', 'motion valid', 'joint_trajectory valid')
NONSENSE = [kind for kind in flooder.TOPICS if kind not in NO_NONSENSE]
LARGE = [kind for kind in NONSENSE if any(word in kind for word in ('huge', 'many', 'twice'))]
GOOD = {'step_height': (0.02, 0.045), 'max_linear_velocity': (0.05, 0.15), 'max_angular_velocity': (0.3, 0.8),
        'cmd_vel_timeout': (0.3, 0.5)}
DEFAULTS = {'step_height': 0.03, 'max_linear_velocity': 0.15, 'max_angular_velocity': 0.8, 'cmd_vel_timeout': 0.5,
            'gait': 'tripod'}
BAD = [{'step_height': 9.0}, {'step_height': float('nan')}, {'gait': 'gallop'}, {'gait': 7}, {'nothing': 'x'},
       {'rate': 0.0}, {'cmd_vel_timeout': -1.0}, {'step_height': 'x' * 100_000}, {'max_linear_velocity': None}]


class Events(Trouble):
    """The events of one robot."""

    def __init__(self, robot):
        """Take the robot."""
        self.robot, self.user, self.boards, self.outputs = robot, robot.user, robot.boards, robot.outputs
        self._raw = {}

    def do(self, kind, dice):
        """Let an event happen."""
        self.robot.chronicle.note(kind, counted=kind)
        getattr(self, kind)(dice)

    # --- driving

    def walk(self, dice):
        """Walk this way and that."""
        for _ in range(dice.randint(1, 3)):
            self.user.stream('cmd_vel', twist(dice.uniform(-0.2, 0.2), dice.uniform(-0.2, 0.2), dice.uniform(-1.0, 1.0)))
            self.user.spin(dice.uniform(0.2, 1.5))

    def steer(self, dice):
        """Drive by speed and curvature."""
        self.user.quiet('cmd_vel')
        self.user.publish('curvature', Float64(data=dice.uniform(-2.0, 2.0)))
        # A stop holds each source until its own zero.
        self.user.publish('velocity', Float64(data=0.0))
        self.user.stream('velocity', Float64(data=dice.uniform(-0.15, 0.15)))
        self.user.spin(dice.uniform(0.5, 2.0))
        self.user.quiet('velocity')

    def gait(self, dice):
        """Change the gait."""
        self.robot.is_slow, name = True, dice.choice(GAITS)
        self.user.publish('gait', String(data=name))
        self.user.spin(dice.uniform(0.0, 1.5))

    def body_pose(self, dice):
        """Shift and tilt the body."""
        for _ in range(dice.randint(1, 4)):
            self.user.publish('body_pose', pose(*(dice.uniform(-0.08, 0.08) for _ in range(3)),
                                                *(dice.uniform(-0.2, 0.2) for _ in range(3))))
            self.user.spin(dice.uniform(0.0, 0.6))

    def motion(self, dice):
        """Play a motion for a while."""
        self.user.quiet()
        self.user.publish('motion', String(data=dice.choice(MOTIONS)))
        self.user.spin(dice.uniform(0.5, 5.0))
        if dice.random() < 0.5:
            self.user.publish('motion', String(data=''))

    def trajectory(self, dice):
        """Play angles of some joints."""
        self.user.quiet()
        names = dice.sample(JOINTS, dice.randint(1, 4))
        message = JointTrajectory(joint_names=names)
        for second in range(1, dice.randint(2, 4)):
            point = JointTrajectoryPoint(positions=[dice.uniform(-0.7, 0.7) for _ in names])
            point.time_from_start.sec = second
            message.points.append(point)
        self.user.publish('joint_trajectory', message)
        self.user.spin(dice.uniform(0.3, 3.0))

    def posture(self, dice):
        """Sit, stand, pack or stop."""
        for _ in range(dice.randint(1, 3)):
            wanted = dice.choice(['sit', 'stand', 'pack', 'stop'])
            self.robot.chronicle.note(wanted)
            self.robot.ask(wanted)
            self.user.spin(dice.uniform(0.0, 2.0))

    def good_parameters(self, dice):
        """Set parameters, as a user does while it walks, and set them back."""
        for name, (least, most) in GOOD.items():
            if dice.random() < 0.5:
                self._set({name: dice.uniform(least, most)}, True)
        self._set({'gait': dice.choice(GAITS)}, True)
        self.user.spin(dice.uniform(0.0, 1.0))
        for name, value in DEFAULTS.items():
            self._set({name: value}, True)

    def bad_parameters(self, dice):
        """Set parameters that are refused."""
        for values in dice.sample(BAD, 3):
            self._set(values, False)

    def _set(self, values, good):
        node = 'gait_planner'
        results = self.user.set_params(node, **values)
        if results[0].successful != good:
            answer = f'{results[0].successful} {results[0].reason[:200]}'
            self.robot.chronicle.violate('a parameter', f'{str(values)[:200]}: {answer}')

    # --- stops

    def stop_service(self, dice):
        """Stop by the service."""
        future = self.user.client('emergency_stop').call_async(Trigger.Request())
        self.outputs.stopped('emergency_stop, service')
        self._stays_off(dice)
        self.user.until(future.done, 5.0, 'an answer of emergency_stop')

    def stop_topic(self, dice):
        """Stop by the topic, with each QoS in turn."""
        name = dice.choice(list(STOP_QOS))
        self.user.until(self.robot.stops[name].get_subscription_count, 5.0, 'a listener on emergency_stop')
        self.robot.stops[name].publish(Bool(data=True))
        self.outputs.stopped(f'emergency_stop, {name}')
        self._stays_off(dice)

    def stop_pin(self, dice):
        """Press the stop button."""
        self.boards.set_pin(BUTTON, OPEN)
        self.outputs.stopped('the stop button')
        self._stays_off(dice)
        # Within the time in which a press is to be seen, an enable may still be granted, and is void then.
        self.user.spin(2.0 * STOP_S)
        if dice.random() < 0.5 and self.robot.enable().success:
            self.robot.chronicle.violate('enabled with the stop button pressed')
        self.boards.set_pin(BUTTON, LOW)
        # It has to be seen that it was let go.
        self.user.spin(0.1)

    def disable(self, dice):
        """Switch off."""
        self.robot.disable()
        self._stays_off(dice)

    def enables_and_stops(self, dice):
        """Send enables and stops one after another; the last word counts."""
        self.user.quiet()
        enable, stop = self.user.client('enable'), self.user.client('emergency_stop')
        futures = []
        for _ in range(dice.randint(1, 6)):
            self.outputs.enabling()
            futures += [enable.call_async(SetBool.Request(data=True)) for _ in range(dice.randint(1, 3))]
            self.user.spin(dice.choice([0.0, 0.0, 0.001, 0.01, 0.3]) * dice.random())
            if dice.random() < 0.5:
                futures.append(stop.call_async(Trigger.Request()))
            else:
                self.robot.stops['reliable'].publish(Bool(data=True))
            self.outputs.stopped('emergency_stop among enables')
            self.user.spin(dice.uniform(0.0, 0.3))
        self.user.until(lambda: all(future.done() for future in futures), 8.0, 'answers of enable and emergency_stop')

    def relax(self, dice):
        """Relax some legs."""
        for leg in dice.sample(LEGS, dice.randint(1, 6)):
            self.robot.relaxed.append(leg)
            self.robot.ask(f'relax/{leg}', SetBool.Request(data=True), SetBool)
        self.user.spin(dice.uniform(0.0, 1.0))

    def _stays_off(self, dice):
        """Go on as before for a moment: nothing of that may switch on."""
        self.user.spin(dice.choice([0.0, 0.1, 0.5, 1.5]))

    # --- the bus, the boards, the supply

    def nacks(self, dice):
        """Let transfers fail."""
        self._fault(NACK_PPM, dice.choice([1_000, 10_000, 100_000, 500_000]), dice.uniform(0.5, 2.0))

    def torn_writes(self, dice):
        """Let transfers break off."""
        self._fault(TEAR_PPM, dice.choice([1_000, 10_000, 100_000, 500_000]), dice.uniform(0.5, 2.0))

    def short_hang(self, dice):
        """Let the bus hang for 10 ms to 1 s, once."""
        hang_ms = int(10.0 * 100.0 ** dice.random())
        self.robot.chronicle.note(f'{hang_ms} ms')
        self._fails('bus')
        self.boards.set(HANG_MS, hang_ms)
        self.user.spin(hang_ms / 1e3 + 0.2)
        self._works('bus')

    def long_hang(self, dice):
        """Let the bus hang until it is freed."""
        self._fault(HANG_FOR_EVER, 1, dice.uniform(0.3, 7.0))

    def _fault(self, fault, value, seconds):
        self._fails('bus')
        self.boards.set(fault, value)
        self.user.spin(seconds)
        self.boards.set(fault, 0)
        self._works('bus')

    def _fails(self, what):
        self.robot.faulty[what] = True
        self.outputs.bus_fails(True)

    def _works(self, what):
        self.robot.faulty[what] = False
        if self.robot.is_healthy:
            self.outputs.bus_fails(False)

    def brown_out(self, dice):
        """Reset a board, or both."""
        for address in dice.choice([ADDRESSES, ADDRESSES[:1], ADDRESSES[1:]]):
            self.boards.brown_out(address)
        self.user.spin(dice.uniform(0.0, 1.5))

    def dead_board(self, dice):
        """Let a board be gone for a while."""
        address = dice.choice(ADDRESSES)
        self._fails(address)
        self.boards.kill(address)
        self.user.spin(dice.uniform(0.02, 4.0))
        self.boards.kill(address, dead=False)
        self._works(address)

    def low_battery(self, dice):
        """Let the battery sag, or be low."""
        self.boards.set_pin(BATTERY, LOW)
        self.user.spin(dice.choice([0.2, 0.7, 3.0]))
        self.boards.set_pin(BATTERY, HIGH)

    # --- others

    def nonsense(self, dice):
        """Send a burst of what no robot wants."""
        for _ in range(dice.randint(1, 4)):
            # A false begins a heartbeat.
            kind = dice.choice([each for each in NONSENSE if not (self.robot.heartbeat_s and 'emergency_stop' in each)])
            self.robot.chronicle.note(f'nonsense: {kind}')
            self._send(kind, 1 if kind in LARGE else dice.randint(1, 300))
            self.user.spin(dice.uniform(0.0, 0.5))

    def large_ones(self):
        """Send each of the large messages once: what the heap keeps of them it takes at the first."""
        self.robot.chronicle.note('large messages')
        for kind in LARGE:
            self._send(kind, len(flooder.TOPICS[kind][1]()))
            self.user.spin(0.3)

    def _send(self, kind, count):
        publisher = self.user.publisher(flooder.TOPICS[kind][0])
        for number in range(count):
            publisher.publish(self._message(kind, number))

    def _message(self, kind, number):
        """Return a message of a kind as it is sent, made once."""
        if kind not in self._raw:
            self._raw[kind] = [serialize_message(message) for message in flooder.TOPICS[kind][1]()]
        return self._raw[kind][number % len(self._raw[kind])]

    def second_source(self, dice):
        """Let another node command joints, too."""
        context = rclpy.Context()
        rclpy.init(context=context, domain_id=self.robot.session.domain)
        node = rclpy.create_node('second_source', context=context, start_parameter_services=False, enable_rosout=False)
        publisher = node.create_publisher(TYPES['joint_commands'], 'joint_commands', 10)
        self.user.until(lambda: publisher.get_subscription_count() > 1, 5.0, 'a listener on joint_commands')
        names = dice.sample(JOINTS, dice.randint(1, len(JOINTS)))
        for _ in range(dice.randint(1, 80)):
            publisher.publish(joint_state({name: dice.uniform(-0.8, 0.8) for name in names}))
            self.user.spin(0.02)
        node.destroy_node()
        rclpy.shutdown(context=context)

    def dying_client(self, dice):
        """Let a client die in the middle of its calls."""
        kind = dice.choice(['stand', 'sit', 'stop', 'pack', 'relax/left_front', 'gait_planner/set_parameters',
                            'servo_driver/get_parameters', 'state_publisher/list_parameters'])
        process = self.robot.session.start('flooder.py', kind, '10', '', '200')
        self.robot.others.append(process)
        self.robot.relaxed += ['left_front'] if kind.startswith('relax') else []
        self.user.until(lambda: 'begins' in process.log() or not process.is_running(), 20.0, 'a client')
        self.user.spin(dice.uniform(0.2, 1.5))
        process.signal(signal.SIGKILL)
        process.wait()

    def second_driver(self, dice):
        """Start another driver; it is refused."""
        name, arguments = dice.choice([('servo_driver', (*ON_I2C, *pins())),
                                       ('hexapod', ('servo', JOINTS[0], '5', '--bus', 'i2c'))])
        process = self.robot.session.start(name, *arguments, environment=self.boards.environment)
        self.robot.others.append(process)
        self.user.until(lambda: not process.is_running(), 15.0, 'the end of a second driver')
        if process.wait() != 1 or 'has the bus' not in process.log():
            self.robot.chronicle.violate('a second driver', f'{process.popen.returncode}: {process.log()[-1000:]}')

    def guard_dies(self, dice):
        """Kill every guard; nobody enables until another one is there, started by the driver or, in the end, by us."""
        robot = self.robot
        if robot.guard:
            robot.processes.expect_end(robot.guard)
            robot.guard.signal(signal.SIGKILL)
            robot.guard.wait()
            robot.guard = None
        for pid in self._guards():
            os.kill(pid, signal.SIGKILL)
        robot.disable()
        robot.let_go()
        self.user.spin(dice.uniform(0.2, 1.0))
        answer = robot.enable()
        if answer.success and not self._guards() or not answer.success and 'FAILED guard' not in answer.message:
            robot.chronicle.violate('enabled without a guard, or refused with one', answer.message)
        self.user.spin(GUARD_RETURNS_S)
        if not self._guards():
            robot.guard = robot.session.start('hexapod', 'guard', '--bus', 'i2c', '-p', f'servo_driver.oe_pin:={OE}',
                                              environment=self.boards.environment)
            robot.processes.watch(robot.guard)
            self.user.until(lambda: 'watching over' in robot.guard.log(), 10.0, 'another guard')

    def _guards(self):
        """Return the processes that the driver has started and that live."""
        driver = self.robot.parts.get('hexapod') or self.robot.parts['servo_driver']
        return [pid for pid in driver.children() if is_running(pid)]

    # --- ends

    def kill_robot(self, dice):
        """Kill -9 all of it, in any state of boards and bus, and start it again."""
        for name in list(self.robot.parts):
            self.robot.kill(name)
        self._restart(dice)

    def kill_node(self, dice):
        """Kill -9 one node, and start it again."""
        self.robot.kill(dice.choice(sorted(self.robot.parts)))
        self._restart(dice)

    def end_robot(self, dice):
        """End all of it by signals, and start it again."""
        numbers = dice.choice([(signal.SIGTERM,), (signal.SIGINT,), (signal.SIGTERM, signal.SIGINT)])
        for name in list(self.robot.parts):
            self.robot.end(name, *numbers)
        self._restart(dice)

    def _restart(self, dice):
        """Start what is gone after a moment, on a bus that works."""
        apart = self.robot.apart
        self.user.spin(dice.choice([0.0, 0.3, 1.5]))
        self.robot.heal()
        began = time.monotonic()
        self.robot.start(apart)
        self.robot.chronicle.note(f'heard again after {time.monotonic() - began:.2f} s')


DRIVING = ['walk', 'steer', 'gait', 'body_pose', 'motion', 'trajectory', 'posture', 'good_parameters']
DISTURBING = ['bad_parameters', 'stop_service', 'stop_topic', 'stop_pin', 'disable', 'enables_and_stops', 'relax', 'nacks',
              'torn_writes', 'short_hang', 'long_hang', 'brown_out', 'dead_board', 'low_battery', 'nonsense',
              'second_source', 'dying_client', 'second_driver', 'guard_dies', *TROUBLE]
WITH_HEARTBEATS = [*DISTURBING, *6 * BEATING]
ENDING = ['kill_robot', 'end_robot']
