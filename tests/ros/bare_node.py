"""A node of rclpy that does nothing but publish 18 joints at 100 Hz.

Machines differ; what the robot takes is compared with what this takes on the same one, in the same run. Prints the time
of its first message.
"""

import time

import rclpy
from rclpy.executors import ExternalShutdownException
from sensor_msgs.msg import JointState


def main():
    """Publish until a signal comes."""
    rclpy.init()
    node = rclpy.create_node('bare')
    publisher = node.create_publisher(JointState, 'bare_joints', 10)
    message = JointState(name=[f'a_leg_{number}_coxa' for number in range(18)], position=[0.1] * 18, velocity=[0.1] * 18)

    def publish():
        message.header.stamp = node.get_clock().now().to_msg()
        message.position[0] += 0.001
        publisher.publish(message)

    publish()
    print(time.time(), flush=True)
    node.create_timer(0.01, publish)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == '__main__':
    main()
