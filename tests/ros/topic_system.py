"""
A stand-in for ros2_control, which cannot be installed here: a controller manager with one joint_trajectory_controller.

Its hardware is written after the source of joint_state_topic_hardware_interface/JointStateTopicSystem 1.1.0: commands go out
with a queue of one, only while states and commands differ by more than a threshold in sum; they name every joint of the
system, with a position for each that has a command interface; states are heard with best effort, and keep their last value.
"""

import contextlib
import json
import math
import signal
import sys
import threading
import time

from inbox import Inbox
import rclpy
from rclpy.qos import qos_profile_sensor_data, QoSProfile
from sensor_msgs.msg import JointState

UPDATE_HZ = 100.0
# trigger_joint_command_threshold: the plugin's own; for sending in each cycle; and wider than what 18 angles are off by in
# whole counts of a PCA9685, for silence as with servos that report what they were commanded.
DEFAULT, ALWAYS, SILENT = 1e-5, -1.0, 0.1


class TopicSystem:
    """The controller manager, updating in a thread of its own."""

    def __init__(self, domain, joints, initial, threshold=SILENT, name='hexapod_system'):
        """Join the domain. `initial` has the initial_value of each joint with a command interface; `joints` are all of them."""
        self.joints, self.threshold = list(joints), threshold
        self.states, self.commands = dict(initial), dict.fromkeys(initial, math.nan)
        self.sent = []
        self._latest, self._moves, self._lock = JointState(), [], threading.Lock()
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node(name, context=self.context, start_parameter_services=False, enable_rosout=False)
        self._publisher = self.node.create_publisher(JointState, 'joint_commands', QoSProfile(depth=1))
        self.node.create_subscription(JointState, 'servo_states', self._hear, qos_profile_sensor_data)
        self._inbox = Inbox(self.context, self.node)
        self._running = True
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._spin, self._update)]
        for thread in self._threads:
            thread.start()

    # --- the controller

    def hold(self):
        """Activate the controller: it holds where the states are."""
        with self._lock:
            self.commands.update(self.states)

    def deactivate(self, *joints):
        """Leave some joints without a controller: nobody writes their command."""
        with self._lock:
            self.commands.update(dict.fromkeys(joints, math.nan))

    def go_to(self, goal, seconds):
        """Take a goal: joints go there from where they are commanded to be, at rest at both ends."""
        with self._lock:
            start = {joint: self.commands[joint] for joint in goal}
            self._moves = [(time.monotonic(), seconds, start, dict(goal))]

    def is_moving(self):
        """Return whether a goal is under way."""
        return bool(self._moves)

    def _follow(self, now):
        for began, seconds, start, goal in self._moves:
            part = min(1.0, (now - began) / seconds)
            # The polynomial of fifth order of joint_trajectory_controller's splines, with velocities and accelerations.
            along = part ** 3 * (10.0 - 15.0 * part + 6.0 * part ** 2)
            self.commands.update({joint: start[joint] + along * (goal[joint] - start[joint]) for joint in goal})
            if part == 1.0:
                self._moves = []

    # --- the hardware

    def _hear(self, message):
        self._latest = message

    def _read(self):
        latest = self._latest
        for index, joint in enumerate(latest.name):
            # std::vector::at, which ends the controller manager where an array is shorter than `name` and not empty.
            for values in (latest.position, latest.velocity, latest.effort):
                assert not values or len(values) == len(latest.name)
            if joint in self.states and latest.position and math.isfinite(latest.position[index]):
                self.states[joint] = latest.position[index]

    def _write(self):
        differs = sum(abs(self.states[joint] - self.commands[joint]) for joint in self.commands)
        # NaN differs, too.
        if differs <= self.threshold:
            return
        message = JointState(name=self.joints)
        message.header.stamp = self.node.get_clock().now().to_msg()
        message.position = [self.commands[joint] for joint in self.joints if joint in self.commands]
        self._publisher.publish(message)
        self.sent.append(time.monotonic())

    def _update(self):
        due = time.monotonic()
        while self._running:
            with self._lock:
                self._read()
                self._follow(time.monotonic())
                self._write()
            due = max(due + 1.0 / UPDATE_HZ, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))

    def _spin(self):
        while self._running:
            self._inbox.take(0.05)

    def silent_for(self):
        """Return how long nothing has been sent, s."""
        return time.monotonic() - self.sent[-1] if self.sent else math.inf

    def close(self):
        """Leave the domain, as a controller manager does that is asked to end."""
        if not self._running:
            return
        self._running = False
        for thread in self._threads:
            thread.join()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


def main():
    """Hold the joints that the first argument names (JSON), nudged once, so that this is said; until a signal comes."""
    import os
    initial = json.loads(sys.argv[1])
    threshold = float(sys.argv[2]) if len(sys.argv) > 2 else SILENT
    system = TopicSystem(int(os.environ['ROS_DOMAIN_ID']), initial, initial, threshold)
    system.hold()
    system.go_to({joint: angle + 0.01 for joint, angle in initial.items()}, 1.0)
    with contextlib.suppress(KeyboardInterrupt):
        signal.pause()
    system.close()


if __name__ == '__main__':
    main()
