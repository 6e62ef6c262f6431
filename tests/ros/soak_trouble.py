"""What other people, clocks, networks and processes do to a soaked robot: events as those of `soak_events`."""

import math
import os
from pathlib import Path
import signal
import time

from boards import LOW, OPEN
from sensor_msgs.msg import Joy
from soak_robot import BUTTON, DRIVERS, PLANNERS
from soak_watch import STOP_S
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from user import Timeout, twist
from voices import CLOCKS
from web import Client

# A driver that is halted is off by then.
FROZEN_S = 0.5
# So long it may be halted without anybody's minding.
FLICKER_S = (0.005, 0.05)
# Seconds from a service or a button of the page to OE, beside those of other stops: a hop by another process.
HOP_S = 0.05
# The driver's button, and one that says false.
BUTTONS = {'sit': 0, 'emergency': 1, 'stop': 2, 'stand': 3, 'disable': 6, 'enable': 7, 'wave': 9}
# What a parameter of the planner must not be set to while commands are set to come as often as ours.
UNTOUCHED = ('cmd_vel_timeout', 'rate')
SLOWEST_S, SLOWEST_OF_SHORT_S = 20.0, 3.0
PUSHED = 0.06


class Trouble:
    """Events, for a class with a robot, its user, boards and outputs."""

    # --- clocks, networks, calls

    def clocks(self, dice):
        """Give every sender a clock, and let one of them stop the robot: by the topic or the service, once or twice."""
        self.robot.meet()
        boxes, caller = self.robot.boxes, self.robot.caller
        for source in range(boxes.count):
            boxes.clock(source, dice.choice(list(CLOCKS)))
        source, kind = dice.randrange(boxes.count), dice.choice(list(CLOCKS))
        boxes.clock(source, kind)
        if dice.random() < 0.7:
            boxes.say(source, True, times=dice.randint(1, 3))
            self.outputs.stopped(f'emergency_stop by a box with a clock {kind}')
            self._stays_off(dice)
            boxes.say(source, False)
        else:
            caller.clock(0, kind)
            caller.call(0, 'emergency_stop', times=dice.randint(1, 2))
            self.outputs.stopped(f'emergency_stop called by somebody with a clock {kind}')
            self._stays_off(dice)
            caller.clock(0, 'right')

    def late_network(self, dice):
        """Let packets of a sender come late, twice and out of order."""
        self.robot.meet()
        caller, late_s = self.robot.caller, dice.choice([0.02, 0.1, 0.5])
        caller.network(delay_s=late_s, jitter_s=dice.choice([0.0, late_s]), doubled=dice.choice([0.0, 0.3]))
        caller.clock(1, dice.choice(list(CLOCKS)))
        for _ in range(dice.randint(1, 5)):
            if dice.random() < 0.5:
                self.outputs.enabling()
                caller.call(1, data=True, times=dice.randint(1, 2))
            else:
                caller.say(1, True, times=dice.randint(1, 2))
            self.user.spin(dice.uniform(0.0, 0.3))
        # Which of them came last nobody knows: the stop that follows did.
        self._stop(dice, 'after calls that came late')
        self.user.spin(2.0 * late_s + 0.3)
        caller.network()

    def held_up_enable(self, dice):
        """Let a call of `enable` be on its way while the robot is stopped, and arrive after."""
        self.robot.meet()
        caller, source = self.robot.caller, dice.randrange(2)
        caller.clock(source, dice.choice(list(CLOCKS)))
        if dice.random() < 0.5:
            self.robot.disable()
        self.user.spin(dice.uniform(0.0, 0.5))
        caller.network(hold=True)
        self.outputs.enabling()
        caller.call(source, data=True, times=dice.randint(1, 2))
        self.user.spin(dice.uniform(0.0, 0.3))
        self._stop(dice, 'while an enable was held up')
        self.user.spin(dice.choice([0.0, 0.1, 0.6, 1.0, 2.5]) * dice.random())
        caller.network()
        self.user.spin(1.5)

    def enable_twice(self, dice):
        """Call `enable` several times at once."""
        enable = self.user.client('enable')
        if dice.random() < 0.7:
            self.robot.disable()
        self.user.spin(dice.uniform(0.0, 1.2))
        self.outputs.enabling()
        futures = [enable.call_async(SetBool.Request(data=True)) for _ in range(dice.randint(2, 4))]
        self.user.until(lambda: all(future.done() for future in futures), 8.0, 'answers of enable')
        self.robot.pose_refused = 'FAILED pose' in futures[-1].result().message

    def disable_twice(self, dice):
        """Switch off twice, as by a double press, and take another pose with the servos off: no joint may jump then."""
        for _ in range(2):
            self.robot.pose_refused = False
            self.robot.disable()
            self.user.spin(dice.uniform(0.0, 0.3))
        self.user.quiet()
        self.robot.ask(dice.choice(['sit', 'pack', 'stand']))
        self.user.spin(dice.uniform(0.5, 3.0))
        self.robot.enable()
        self.user.spin(dice.uniform(0.5, 2.0))

    def _stop(self, dice, when):
        """Stop in any way."""
        way = dice.choice(['service', 'topic', 'box', 'pin', 'disable'])
        if way == 'service':
            self.user.client('emergency_stop').call_async(Trigger.Request())
        elif way == 'topic':
            self.robot.stops['reliable'].publish(Bool(data=True))
        elif way == 'box':
            self.robot.boxes.say(dice.randrange(self.robot.boxes.count), True)
        elif way == 'pin':
            self.boards.set_pin(BUTTON, OPEN)
        else:
            return self.robot.disable()
        self.outputs.stopped(f'a stop by {way} {when}')
        if way == 'pin':
            self.user.spin(0.2)
            self.boards.set_pin(BUTTON, LOW)
            self.user.spin(0.1)

    # --- heartbeats

    def heartbeat_lost(self, dice):
        """Let some boxes fall silent; nothing is enabled until they are heard again."""
        self.robot.meet()
        boxes, silent = self.robot.boxes, set(dice.sample(range(self.robot.boxes.count), dice.randint(1, 3)))
        at = boxes.beat(set(range(boxes.count)) - silent)
        limit = self.robot.heartbeat_s + STOP_S
        self.outputs.stopped('a lost heartbeat', at + limit - time.monotonic())
        self.user.spin(limit + dice.choice([0.1, 1.0]))
        if self.robot.enable().success:
            self.robot.chronicle.violate('enabled with a heartbeat lost', f'of boxes {sorted(silent)}')
        self.user.spin(dice.uniform(0.0, 0.5))
        self.robot.beat()
        self.user.spin(0.3)

    def held_box(self, dice):
        """Let a box keep saying true; nothing is enabled until it lets go."""
        boxes, source = self.robot.boxes, dice.randrange(self.robot.boxes.count)
        self.robot.meet()
        self.robot.beat(held=[source])
        self.outputs.stopped('a box whose button is held')
        self.user.spin(dice.uniform(0.5, 1.5))
        for _ in range(dice.randint(1, 3)):
            if self.robot.enable().success:
                self.robot.chronicle.violate('enabled while a box holds its stop', f'box {source}')
            self.user.spin(dice.uniform(0.0, 0.3))
        self.robot.beat()
        boxes.say(source, False)

    # --- sticks and the page

    def page(self, dice):
        """Drive by the page beside `cmd_vel`, and let go, stop, or vanish."""
        client = self._client()
        try:
            client.take('take_over')
            self._push(client, dice.uniform(0.2, 1.5), dice.uniform(-0.15, 0.15), dice.uniform(-0.8, 0.8))
            end = dice.choice(['let go', 'halt', 'emergency', 'cut', 'sit', 'disable'])
            self.robot.chronicle.note(f'page: {end}')
            if end == 'let go':
                client.drive()
            elif end in ('halt', 'emergency'):
                self._page_stop(client, end)
                self._push(client, dice.uniform(0.1, 1.0), 0.1)
            elif end in ('sit', 'disable'):
                client.send(type='call', id=next(client.ids), service=end)
            if end == 'disable':
                self.outputs.stopped('the page, disable', STOP_S + HOP_S)
            self.user.spin(dice.uniform(0.0, 1.0))
        except (AssertionError, OSError) as error:
            raise Timeout(f'the page: {error!r}'[:500]) from error
        finally:
            self._close(client)

    def _page_stop(self, client, kind):
        client.send(type='stop', kind=kind)
        if kind == 'emergency':
            self.outputs.stopped('emergency stop by the page')

    def _client(self):
        try:
            return Client(self.robot.page_port, name='soak')
        except (AssertionError, OSError) as error:
            raise Timeout(f'the page: {error!r}'[:500]) from error

    @staticmethod
    def _close(client):
        try:
            client.cut()
        except OSError:
            pass  # it was closed by the server

    def _push(self, client, seconds, vx, wz=0.0):
        """Push the stick of the page for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            client.drive(vx=vx, wz=wz)
            self.user.spin(0.05)

    def joystick(self, dice):
        """Press buttons of a joystick."""
        self.user.until(self.robot.joy.get_subscription_count, 10.0, 'a listener on joy')
        self.user.spin(0.3)
        for _ in range(dice.randint(1, 3)):
            self._press(dice.choice(['emergency', *BUTTONS]))
            self.user.spin(dice.uniform(0.0, 0.8))

    def _press(self, button):
        self.robot.chronicle.note(f'joystick: {button}')
        for held in (False, False, True, True, False):
            if held and button == 'enable':
                self.outputs.enabling()
            self.robot.joy.publish(Joy(axes=[math.nan], buttons=[int(held and number == BUTTONS[button]) for number in range(11)]))
            if held and button in ('emergency', 'disable'):
                self.outputs.stopped(f'{button} by the joystick', STOP_S + HOP_S)
            self.user.spin(0.06)

    def held_stick(self, dice):
        """Hold one source of motion pushed while somebody stops the robot: no walk before that one was let go."""
        holder, stop = dice.choice(['user', 'stick', 'page']), dice.choice(['halt', 'emergency', 'stop', 'service', 'topic', 'disable'])
        # What came before in this episode may have stopped it.
        if not self.robot.recover(['held_stick']):
            raise Timeout('does not walk before anybody holds a stick')
        self.robot.chronicle.note(f'{holder} holds, {stop} stops')
        self.robot.meet()
        client = self._client()
        try:
            self._hold(holder, client)
            self.user.until(lambda: self._held(holder, client, 0.05) or self.robot.listener.state == 'walking', 5.0, 'walking')
            self._halt(stop, client)
            self.robot.listener.stays(f'{stop} while {holder} pushes')
            self._held(holder, client, 0.6)
            self._zero_of_others(holder)
            self._held(holder, client, 0.6)
            if stop not in ('halt', 'stop'):
                until = time.monotonic() + 4.0
                while not self.robot.enable().success and time.monotonic() < until:
                    self._held(holder, client, 0.3)
            self._held(holder, client, dice.uniform(0.5, 1.5))
        except (AssertionError, OSError) as error:
            raise Timeout(f'{holder}, {stop}: {error!r}'[:500]) from error
        finally:
            self.robot.listener.may_walk()
            self.robot.caller.drive(0, 0.0)
            self.user.quiet()
            self.user.publish('cmd_vel', twist())
            self._close(client)

    def _hold(self, holder, client):
        """Push one, all others at rest."""
        self.user.quiet()
        self.user.publish('cmd_vel', twist())
        self.robot.caller.drive(0, 0.0)
        self.user.spin(0.7)
        if holder == 'page':
            client.take('take_over')
            self.user.spin(0.2)
        elif holder == 'stick':
            self.robot.caller.drive(0, PUSHED)
        else:
            self.user.stream('cmd_vel', twist(PUSHED))

    def _held(self, holder, client, seconds):
        if holder == 'page':
            self._push(client, seconds, PUSHED)
        else:
            self.user.spin(seconds)

    def _zero_of_others(self, holder):
        """Let the others say that they rest."""
        if holder != 'user':
            self.user.publish('cmd_vel', twist())
        if holder != 'stick':
            self.robot.caller.drive(0, 0.0)

    def _halt(self, stop, client):
        if stop in ('halt', 'emergency'):
            self._page_stop(client, stop)
        elif stop == 'stop':
            self.robot.ask('stop')
        elif stop == 'disable':
            self.robot.disable()
        else:
            if stop == 'service':
                self.user.client('emergency_stop').call_async(Trigger.Request())
            else:
                self.robot.stops['reliable'].publish(Bool(data=True))
            self.outputs.stopped(f'emergency_stop, {stop}, while somebody pushes')

    # --- processes that are halted

    def freeze(self, dice):
        """Halt a process for longer than anybody may wait, with or without a press of the button meanwhile."""
        robot = self.robot
        name = dice.choice(sorted(robot.parts))
        stops = name in DRIVERS
        robot.chronicle.note(f'SIGSTOP of {name}')
        robot.freeze(name)
        if stops:
            self.outputs.stopped(f'SIGSTOP of {name}', FROZEN_S)
        self.user.spin(dice.choice([0.05, 0.3, 0.6]))
        if stops and dice.random() < 0.5:
            self.boards.set_pin(BUTTON, OPEN)
            self.outputs.stopped(f'the stop button with {name} halted')
        self.user.spin(dice.choice([0.6, 1.5, 4.0]))
        self.boards.set_pin(BUTTON, LOW)
        robot.thaw()
        self.user.spin(dice.uniform(0.3, 1.5))

    def flicker(self, dice):
        """Halt a process again and again for moments, as a debugger or a swap does."""
        name = dice.choice(sorted(self.robot.parts))
        for _ in range(dice.randint(1, 20)):
            self.robot.freeze(name)
            time.sleep(dice.uniform(*FLICKER_S))
            self.robot.thaw()
            self.user.spin(dice.uniform(0.0, 0.1))

    def suspend(self, dice):
        """Press Ctrl-Z: where it halts the driver, all is off first, and stays so after `fg`."""
        robot = self.robot
        name = next(name for name in DRIVERS if name in robot.parts)
        robot.listener.planner_is_frozen |= name in PLANNERS
        robot.parts[name].signal(signal.SIGTSTP)
        self.user.spin(0.3)
        if is_halted(robot.parts[name].pid):
            self.outputs.stopped(f'Ctrl-Z in {name}', FROZEN_S - 0.3)
            self.user.spin(dice.choice([0.3, 2.0]))
        robot.thaw()
        self.user.spin(dice.uniform(0.2, 1.0))

    # --- parameters

    def extremes(self, dice):
        """Set parameters to the ends of their ranges, walk and stop so, and set them back, or end it so."""
        robot, ends = self.robot, self._ranges()
        robot.is_slow, before = True, dict(self._kept)
        changed = dice.sample(sorted(ends), dice.randint(1, 4))
        for name in changed:
            value = dice.choice(ends[name])
            [result] = self.user.set_params('gait_planner', **{name: value})
            robot.chronicle.note(f'{name} {value}: {"set" if result.successful else result.reason[:80]}')
            if not result.successful and not result.reason:
                robot.chronicle.violate('a parameter refused without a reason', f'{name}: {value}')
        self.walk(dice)
        if dice.random() < 0.4:
            self.end_robot(dice)
            return
        self.user.quiet()
        self.user.spin(dice.uniform(0.0, 2.0))
        # What one allows may depend on another.
        for _ in range(3):
            changed = [name for name in changed if not self.user.set_params('gait_planner', **{name: before[name]})[0].successful]
        if changed:
            robot.chronicle.violate('parameters cannot be set back', changed)

    def _ranges(self):
        """Return the ends of the range of each of the planner's parameters that may be set; keep what they are."""
        if not hasattr(self, '_ends'):
            names = [name for name in self.user.list_params('gait_planner') if name not in UNTOUCHED]
            every = zip(names, self.user.describe_params('gait_planner', *names))
            slowest = SLOWEST_OF_SHORT_S if self.robot.memory.short else SLOWEST_S
            self._ends = {name: [min(each.from_value, slowest), min(each.to_value, slowest)]
                          for name, reported in every if not reported.read_only for each in reported.floating_point_range}
            self._kept = dict(zip(self._ends, self.user.get_params('gait_planner', *self._ends)))
        return self._ends


def is_halted(pid):
    """Return whether a signal has halted a process."""
    stat = Path(f'/proc/{pid}/stat')
    return os.path.exists(stat) and stat.read_text().rpartition(') ')[2].startswith('T')


TROUBLE = ['clocks', 'late_network', 'held_up_enable', 'enable_twice', 'disable_twice', 'held_box', 'page', 'joystick',
           'held_stick', 'freeze', 'flicker', 'suspend', 'extremes']
BEATING = ['heartbeat_lost', 'held_box', 'clocks']
