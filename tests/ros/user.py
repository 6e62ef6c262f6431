"""A user of the robot, played by rclpy: publishes, listens, calls services, sets parameters. Never our own code."""

import time

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Pose, Twist, TwistStamped
from inbox import Inbox
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import (DescribeParameters, GetParameters, GetParameterTypes, ListParameters, SetParameters,
                                SetParametersAtomically)
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import BatteryState, CompressedImage, Imu, JointState, PointCloud2
from std_msgs.msg import Bool, Float64, String, UInt8MultiArray
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

DISCOVERY_S = 15.0
SETTLE_S = 0.2
CALL_S = 5.0
STREAM_HZ = 20.0
# Times that more may come while what had come is taken.
ROUNDS = 100

TYPES = {
    'cmd_vel': Twist, 'velocity': Float64, 'curvature': Float64, 'body_pose': Pose, 'gait': String, 'motion': String,
    'joint_commands': JointState, 'foot_contacts': UInt8MultiArray, 'gait_state': String, 'commanded_twist': Twist,
    'markers': MarkerArray, 'time_to_sit': Float64, 'servo_states': JointState, 'joint_states': JointState, 'odom': Odometry,
    'joint_trajectory': JointTrajectory, 'motion_status': DiagnosticArray, 'emergency_stop': Bool, 'robot_description': String,
    'battery': BatteryState, 'foot_switches': UInt8MultiArray, 'sensed_contacts': UInt8MultiArray, 'imu/data': Imu,
    'image_raw/compressed': CompressedImage, 'elevation': PointCloud2,
    '/diagnostics': DiagnosticArray, '/clock': Clock, '/tf': TFMessage, '/tf_static': TFMessage,
}
LATCHED = {'gait_state', 'motion_status', 'robot_description', 'time_to_sit', '/tf_static'}
SERVICES = {'stand': Trigger, 'sit': Trigger, 'stop': Trigger, 'pack': Trigger, 'emergency_stop': Trigger, 'enable': SetBool}


class Heard:
    """A message, when it was received (monotonic, s) and when it was sent (the sender's middleware, s)."""

    __slots__ = ('received', 'sent', '_bytes', '_type', '_message')

    def __init__(self, serialized, message_type, received, sent):
        """Keep it as it came."""
        self.received, self.sent = received, sent
        self._bytes, self._type, self._message = serialized, message_type, None

    @property
    def message(self):
        """The message. Nobody looks at most of them, and making one takes longer than receiving it."""
        if self._message is None:
            self._message, self._bytes = deserialize_message(self._bytes, self._type), None
        return self._message


class Timeout(AssertionError):
    """What was waited for did not come."""


def twist(vx=0.0, vy=0.0, wz=0.0):
    """Return a planar Twist."""
    message = Twist()
    message.linear.x, message.linear.y, message.angular.z = float(vx), float(vy), float(wz)
    return message


def stamped(message, stamp):
    """Return a Twist as a TwistStamped."""
    result = TwistStamped(twist=message)
    result.header.stamp = stamp
    return result


def stamp_ns(message):
    """Return the stamp of a message with a header, ns."""
    return message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec


class User:
    """One rclpy node. All waiting spins it, so everything happens on the test's own thread."""

    def __init__(self, domain, namespace=''):
        """Join the domain."""
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node('user', context=self.context, namespace=namespace, start_parameter_services=False,
                                      enable_rosout=False)
        self._inbox = Inbox(self.context, self.node)
        self._heard, self._publishers, self._clients, self._streams = {}, {}, {}, {}

    def close(self):
        """Leave the domain."""
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    # --- waiting

    def spin(self, seconds):
        """Let messages come in, and streams go out, for a while."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._spin_once(left)
        self._catch_up()

    def until(self, condition, seconds, what):
        """Spin until the condition holds and return what it returned; fail when it does not in time."""
        deadline = time.monotonic() + seconds
        while not (result := condition()):
            left = deadline - time.monotonic()
            if left > 0:
                self._spin_once(min(left, 0.05))
                continue
            # It may have come while we were held up.
            self._catch_up()
            if not (result := condition()):
                raise Timeout(f'not within {seconds} s: {what() if callable(what) else what}')
        return result

    def spin_until_ended(self, process, seconds):
        """Wait until a process has ended, take its last words, and return how long that took, s."""
        started = time.monotonic()
        self.until(lambda: not process.is_running(), seconds, f'the end of {process.name}')
        took = time.monotonic() - started
        self.spin(0.3)
        return took

    def _spin_once(self, seconds):
        now = time.monotonic()
        for topic, stream in self._streams.items():
            if now >= stream['due']:
                message = stream['message']
                self._publishers[topic].publish(message() if callable(message) else message)
                stream['due'] = max(stream['due'] + stream['period'], now - stream['period'])
        due = min((stream['due'] for stream in self._streams.values()), default=now + seconds)
        return self._inbox.take(max(0.0, min(seconds, due - now)))

    def _catch_up(self):
        """Take what has come already: what comes while it is taken included, as long as that ends."""
        for _ in range(ROUNDS):
            if not self._spin_once(0.0):
                return

    # --- listening

    def listen(self, topic, message_type=None):
        """Start to keep all that comes on a topic, and return the list it is kept in."""
        if topic not in self._heard:
            heard, message_type = [], message_type or TYPES[topic]
            self._heard[topic] = heard

            def keep(serialized, info):
                heard.append(Heard(serialized, message_type, time.monotonic(), info['source_timestamp'] / 1e9))

            self.node.create_subscription(message_type, topic, keep, listener_qos(topic), raw=True)
        return self._heard[topic]

    def hear(self, *topics):
        """Listen, wait until something sends on each of the topics, and return their lists."""
        lists = [self.listen(topic) for topic in topics]
        for topic in topics:
            self.until(lambda: self.node.count_publishers(topic), DISCOVERY_S, f'a publisher of {topic}')
        return lists if len(lists) > 1 else lists[0]

    def hear_fresh(self, *topics):
        """As `hear`, once a message of each has come from now on: who sends it knows of us by then."""
        lists = self.hear(*topics)
        for topic in topics:
            self.next(topic)
        self.spin(0.1)
        return lists

    def next(self, topic, seconds=DISCOVERY_S, where=lambda message: True):
        """Return the first message from now on that fits."""
        heard = self.listen(topic)
        seen = len(heard)

        def found():
            return next((each for each in heard[seen:] if where(each.message)), None)

        return self.until(found, seconds, f'a fitting message on {topic}').message

    def latest(self, topic, seconds=DISCOVERY_S):
        """Return the last message of a topic, waiting for the first if there was none."""
        heard = self.listen(topic)
        self.until(lambda: heard, seconds, f'a message on {topic}')
        return heard[-1].message

    def record(self, topics, seconds):
        """Return what comes on each topic in the next seconds."""
        lists = self.hear(*topics) if len(topics) > 1 else [self.hear(*topics)]
        starts = [len(heard) for heard in lists]
        self.spin(seconds)
        return [heard[start:] for heard, start in zip(lists, starts)]

    # --- publishing

    def publisher(self, topic, listeners=1, message_type=None):
        """Return a publisher of a topic that is matched with those who listen."""
        publisher = self._publishers.get(topic)
        if publisher is None:
            message_type = message_type or TYPES[topic]
            publisher = self._publishers[topic] = self.node.create_publisher(message_type, topic, QoSProfile(depth=100))
        elif publisher.get_subscription_count() >= listeners:
            return publisher
        self.until(lambda: publisher.get_subscription_count() >= listeners, DISCOVERY_S, f'a listener on {topic}')
        # The listener hears of us a little later than we of it, and cannot be asked.
        self.spin(SETTLE_S)
        return publisher

    def publish(self, topic, message):
        """Send once."""
        self.publisher(topic).publish(message)

    def stream(self, topic, message, rate=STREAM_HZ):
        """Send a message, or what a function makes each time, again and again while anything is waited for."""
        self.publisher(topic)
        self._streams[topic] = {'message': message, 'period': 1.0 / rate, 'due': time.monotonic()}

    def quiet(self, *topics):
        """Let the streams of some topics, or all, end."""
        for topic in topics or list(self._streams):
            self._streams.pop(topic, None)

    # --- services and parameters

    def client(self, name, service_type=None):
        """Return a client that is matched with its server."""
        if (client := self._clients.get(name)) is None:
            client = self._clients[name] = self.node.create_client(service_type or SERVICES[name], name)
        elif client.service_is_ready():
            return client
        self.until(client.service_is_ready, DISCOVERY_S, f'service {name}')
        # The server hears of our ear for its answers a little later than we of it.
        self.spin(SETTLE_S)
        return client

    def call(self, name, request=None, service_type=None, seconds=CALL_S):
        """Call a service and return its response."""
        client = self.client(name, service_type)
        future = client.call_async(request or client.srv_type.Request())
        self.until(future.done, seconds, f'an answer of {name}')
        return future.result()

    def enable(self, on=True):
        """Switch the servos on or off."""
        return self.call('enable', SetBool.Request(data=on))

    def arm(self):
        """Switch the servos on, as soon as the driver has heard of the planner, and wait until all have pulses."""
        self.until(lambda: self.enable().success, DISCOVERY_S, 'servos switched on')
        servos, commands = self.listen('servo_states'), self.listen('joint_commands')
        self.until(lambda: servos and commands and len(servos[-1].message.name) == len(commands[-1].message.name),
                   DISCOVERY_S, 'pulses for all joints')

    def stand(self):
        """Stand up, and return when the robot does."""
        self.listen('gait_state')
        assert self.call('stand').success
        # A robot whose servos were let go in mid-motion is called standing until the next tick begins to bring its legs home.
        self.spin(0.1)
        self.wait_state('standing')

    def wait_state(self, *states, seconds=DISCOVERY_S):
        """Wait until the robot is in one of the states and return it."""
        heard = self.listen('gait_state')
        self.until(lambda: heard and heard[-1].message.data in states, seconds,
                   f'gait_state {" or ".join(states)}, last {[each.message.data for each in heard[-3:]]}')
        return heard[-1].message.data

    def set_params(self, node, atomically=False, **values):
        """Set parameters and return the results."""
        parameters = [Parameter(name=name, value=parameter_value(value)) for name, value in values.items()]
        if atomically:
            request = SetParametersAtomically.Request(parameters=parameters)
            return self.call(f'{node}/set_parameters_atomically', request, SetParametersAtomically).result
        request = SetParameters.Request(parameters=parameters)
        return self.call(f'{node}/set_parameters', request, SetParameters).results

    def get_params(self, node, *names):
        """Return the values of parameters, as Python values."""
        response = self.call(f'{node}/get_parameters', GetParameters.Request(names=names), GetParameters)
        return [python_value(value) for value in response.values]

    def list_params(self, node):
        """Return the names of a node's parameters."""
        return list(self.call(f'{node}/list_parameters', ListParameters.Request(), ListParameters).result.names)

    def param_types(self, node, *names):
        """Return the types of parameters, as ParameterType counts."""
        request = GetParameterTypes.Request(names=names)
        return list(self.call(f'{node}/get_parameter_types', request, GetParameterTypes).types)

    def describe_params(self, node, *names):
        """Return the descriptors of parameters."""
        request = DescribeParameters.Request(names=names)
        return self.call(f'{node}/describe_parameters', request, DescribeParameters).descriptors

    def diagnostics(self, node, where=lambda status: True, seconds=5.0):
        """Return the next status of a node that fits, its values as a dictionary."""
        heard, called = self.listen('/diagnostics'), time.time()

        def found():
            statuses = [status for each in heard if each.sent > called for status in each.message.status]
            return next((status for status in map(Status, statuses) if status.is_of(node) and where(status)), None)

        return self.until(found, seconds, f'a fitting status of {node} on /diagnostics')


class Status:
    """One status on /diagnostics."""

    def __init__(self, message):
        """Take it apart."""
        self.name, self.message, self.hardware_id = message.name, message.message, message.hardware_id
        self.level = message.level[0] if isinstance(message.level, bytes) else message.level
        self.values = {pair.key: pair.value for pair in message.values}

    def is_of(self, node):
        """Return whether it is the status of a node, whatever the namespace."""
        return self.name.rsplit('/', 1)[-1].split(':')[0] == node

    def rejected(self, topic=None):
        """Return how many messages were refused, on one topic or in all."""
        keys = [key for key in self.values if key.startswith('rejected')]
        keys = [key for key in keys if topic is None or topic in key]
        return sum(int(self.values[key]) for key in keys)


def listener_qos(topic):
    """Return what a listener asks for: everything, and the last latched message where there is one."""
    if topic in LATCHED:
        return QoSProfile(depth=20, durability=DurabilityPolicy.TRANSIENT_LOCAL, reliability=ReliabilityPolicy.RELIABLE)
    return QoSProfile(depth=1000)


def parameter_value(value):
    """Return a Python value as a ParameterValue; None is no value."""
    if isinstance(value, bool):
        return ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=value)
    if isinstance(value, int):
        return ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=value)
    if isinstance(value, float):
        return ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
    if isinstance(value, str):
        return ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)
    if isinstance(value, list):
        return ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY, double_array_value=value)
    return ParameterValue()


def python_value(value):
    """Return a ParameterValue as a Python value."""
    fields = {ParameterType.PARAMETER_BOOL: 'bool_value', ParameterType.PARAMETER_INTEGER: 'integer_value',
              ParameterType.PARAMETER_DOUBLE: 'double_value', ParameterType.PARAMETER_STRING: 'string_value'}
    return getattr(value, fields[value.type]) if value.type in fields else None
