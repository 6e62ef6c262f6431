"""A soaked robot in physics: walks, pushes, falls, and what it makes of them, by what truly happened."""

import math
import signal
import time

import figures
from soak_robot import END_S, START_S
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger
from user import Timeout, twist

# A body that never leant more has not fallen, degrees.
UPRIGHT_DEG = 20.0
# From a fall to servos that are off.
NOTICED_S = 1.0 * figures.BUSY
# After a stop, servos are commanded off no later.
COMMANDED_OFF_S = 0.2 * figures.BUSY
# What was pushed, or stopped, may seem anything for so long.
UNSETTLED_S = 4.0
RECOVERY_S = 30.0 * figures.BUSY
GAITS = ['tripod', 'ripple', 'wave']
ARGUMENTS = ('run', '--bus', 'physics', '-p', 'gait_planner.use_imu:=true', '-p', 'gait_planner.use_foot_switches:=true')
EVENTS = ['walk', 'walk', 'push', 'shove', 'shove', 'stop']


class Physics:
    """One robot in physics."""

    def __init__(self, robot):
        """Take the user, listener and chronicle of the robot on boards, which is not there meanwhile."""
        self.robot, self.user, self.listener, self.chronicle = robot, robot.user, robot.listener, robot.chronicle
        self.process, self._off, self._unsettled_until = None, (None, math.inf), 0.0

    def run(self, until, dice, progress):
        """Let one event follow another."""
        self.process = self.robot.parts['hexapod'] = self.robot.session.start('hexapod', *ARGUMENTS)
        self.listener.forget('hexapod')
        self.robot.processes.watch(self.process)
        self.robot.memory.watch(self.process)
        self.robot.heartbeat_s = 0.0
        try:
            self.user.until(lambda: self.listener.commands_heard and self.listener.driver_state, START_S, 'the robot in physics')
            self._recover('start')
            while self.chronicle.elapsed() < until:
                kind = dice.choice(EVENTS)
                self.chronicle.note(f'physics: {kind}', counted=f'physics: {kind}')
                getattr(self, kind)(dice)
                progress()
                self._recover(kind)
        finally:
            self._end()

    def _end(self):
        process, self.process = self.process, None
        self.user.quiet()
        self.robot.leave('hexapod')
        process.signal(signal.SIGTERM)
        try:
            self.user.until(lambda: not process.is_running(), END_S, 'the end of the robot in physics')
            if process.wait() != 0:
                self.chronicle.violate('an end out of order', f'physics with {process.wait()}: {process.log()[-1500:]}')
        except Timeout as error:
            self.chronicle.violate('a process does not end', f'{error}: {process.log()[-1500:]}')
            process.end()
        self.listener.forget('hexapod')

    # --- events

    def walk(self, dice):
        """Walk this way and that."""
        self.user.publish('gait', String(data=dice.choice(GAITS)))
        for _ in range(dice.randint(1, 3)):
            self.user.stream('cmd_vel', twist(dice.uniform(-0.12, 0.12), dice.uniform(-0.1, 0.1), dice.uniform(-0.6, 0.6)))
            self.user.spin(dice.uniform(0.5, 3.0))

    def push(self, dice):
        """Push it as it may be pushed."""
        self._push(dice, dice.uniform(2.0, 10.0))

    def shove(self, dice):
        """Push it over, or nearly, on foot or on the walk."""
        if dice.random() < 0.3:
            self.user.quiet()
        self._push(dice, dice.uniform(40.0, 150.0))
        self.user.spin(NOTICED_S)

    def _push(self, dice, newtons):
        way = dice.uniform(-math.pi, math.pi)
        self._unsettled_until = time.monotonic() + UNSETTLED_S
        self.user.set_params('simulator', push_force=[newtons * math.cos(way), newtons * math.sin(way), 0.3 * newtons])
        self.user.call('push', service_type=Trigger)
        self.user.spin(dice.uniform(0.5, 2.0))
        leant = max((lean for _, lean in list(self.listener.leans)), default=0.0)
        self.chronicle.note(f'pushed with {newtons:.0f} N, leant {leant:.0f} degrees')

    def stop(self, dice):
        """Stop in an emergency; it may slump."""
        self._unsettled_until = time.monotonic() + UNSETTLED_S
        if dice.random() < 0.5:
            self.user.client('emergency_stop').call_async(Trigger.Request())
        else:
            self.robot.stops['reliable'].publish(Bool(data=True))
        self._is_off('emergency_stop')
        self.user.spin(dice.uniform(0.5, 2.0))

    def _is_off(self, why):
        self._off = why, time.monotonic() + COMMANDED_OFF_S

    # --- what must not be

    def look(self):
        """Look once, beside the events."""
        now = time.monotonic()
        if self.process is None or self.listener.lean_at < now - 0.5:
            return
        why, since = self._off
        if self.listener.servos_on and now > since:
            self.chronicle.violate(f'servos on after {why}', self.listener.state)
        if self.listener.leans_since is not None and now > self.listener.leans_since + NOTICED_S:
            if self.listener.servos_on or self.listener.state == 'walking':
                self.chronicle.violate('fallen, and nobody noticed', f'{self.listener.lean:.0f} degrees, {self.listener.state}, '
                                       f'condition {self.listener.condition}')
        upright = max((lean for _, lean in list(self.listener.leans)), default=0.0) < UPRIGHT_DEG
        if upright and now > self._unsettled_until and self.listener.condition not in (None, 'ok'):
            self.chronicle.violate(f'{self.listener.condition}, says the planner, and it is not',
                                   f'{self.listener.lean:.1f} degrees, {self.listener.state}')

    # --- the way back

    def _recover(self, after):
        """Put it back on its feet as a user of the simulation does, and have it walk."""
        began, words = time.monotonic(), []
        while time.monotonic() < began + RECOVERY_S:
            try:
                if self._try_to_walk(words):
                    self.robot.recoveries.setdefault(f'physics: {after}', []).append(time.monotonic() - began)
                    self.robot.trim()
                    return
            except Timeout as timeout:
                words.append(str(timeout))
        self.chronicle.violate('stuck', f'in physics after {after}: {words[-3:]}; {self.listener.state}, {self.listener.said}')
        raise Timeout(f'in physics after {after}')

    def _try_to_walk(self, words):
        self.user.quiet()
        self._unsettled_until = time.monotonic() + RECOVERY_S
        if self.listener.lean > UPRIGHT_DEG:
            self.robot.disable()
            self._is_off('enable false')
            self.user.spin(0.5)
            self.user.call('reset', service_type=Trigger)
            self.user.spin(0.7)
        self.robot.let_go()
        self._off = None, math.inf
        answer = self.robot.enable()
        if not answer.success:
            words.append(answer.message)
            self.user.spin(0.4)
            return False
        if not (answer := self.robot.ask('stand')).success:
            words.append(answer.message)
            return False
        self.user.until(lambda: self.listener.state == 'standing', 10.0, 'standing')
        self.user.publish('cmd_vel', twist())
        self.user.stream('cmd_vel', twist(0.06))
        self.user.until(lambda: self.listener.state == 'walking', 5.0, 'walking')
        self._unsettled_until = time.monotonic() + 1.0
        return True
