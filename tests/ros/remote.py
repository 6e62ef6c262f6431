"""A user far away: sends cmd_vel until asked to stop, or killed. `remote.py RATE_HZ VX RELIABILITY`.

SIGUSR1: it sends no more, but stays, as the middleware may then send again what was lost. Prints when (monotonic, s) each
command was sent.
"""

import signal
import sys
import time

from geometry_msgs.msg import Twist
import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy


def main(rate_hz, vx, reliability):
    """Send."""
    quiet = []
    signal.signal(signal.SIGUSR1, lambda *_: quiet.append(True))
    rclpy.init()
    node = rclpy.create_node('remote', start_parameter_services=False, enable_rosout=False)
    publisher = node.create_publisher(Twist, 'cmd_vel',
                                      QoSProfile(depth=10, reliability=ReliabilityPolicy[reliability]))
    message = Twist()
    message.linear.x = float(vx)
    while True:
        if not quiet and publisher.get_subscription_count():
            publisher.publish(message)
            print(time.monotonic(), flush=True)
        time.sleep(1.0 / float(rate_hz))


if __name__ == '__main__':
    main(*sys.argv[1:])
