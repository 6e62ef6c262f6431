"""What a robot may have about it while somebody stops it: `crowd.py TOPICS [PORT [TOKEN]]`.

A graph of so many topics, images of 640 x 480 at 30 Hz, a flood of commands that are refused; with the page's port also
seven pages that look on, and four downloads of its largest file again and again, unpacked for who takes no gzip.
"""

import sys
import threading
import time

import rclpy
from rclpy.executors import ExternalShutdownException
from sensor_msgs.msg import Image
from std_msgs.msg import Float64, String
from web import Client, get

PAGES = 7
DOWNLOADS = 4
HUGE = 100_000


def download(port):
    """Load what is largest for ever."""
    while True:
        try:
            get(port, '/hexapod.wasm', **{'Accept-Encoding': 'identity'})
        except OSError:
            time.sleep(0.1)


def main(topics, port=None):
    """Be there until a signal comes."""
    rclpy.init()
    node = rclpy.create_node('crowd')
    graph = [node.create_publisher(Float64, f'crowd/topic_{number}', 1) for number in range(topics)]
    images, gaits = node.create_publisher(Image, 'image_raw', 1), node.create_publisher(String, 'gait', 10)
    image = Image(height=480, width=640, encoding='rgb8', step=1920, data=bytes(1920 * 480))
    node.create_timer(1 / 30, lambda: images.publish(image))
    node.create_timer(0.005, lambda: gaits.publish(String(data='x' * HUGE)))
    pages = []
    if port is not None:
        pages = [Client(int(port), name=f'page {number}') for number in range(PAGES)]
        for _ in range(DOWNLOADS):
            threading.Thread(target=download, args=(int(port),), daemon=True).start()
    print(f'{len(graph)} topics, {len(pages)} pages', flush=True)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == '__main__':
    main(int(sys.argv[1]), *sys.argv[2:])
