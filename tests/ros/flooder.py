"""A process that floods topics or services of the robot, as fast as it can or at a rate, and says how often it did.

`flooder.py KIND[,KIND...] SECONDS [SUFFIX] [RATE_HZ]`: a KIND is a key of TOPICS or SERVICES, or NODE/ and one of
PARAMETERS; several take turns. With a SUFFIX the same is done on names that nobody serves, which takes the same processor
time from everybody else.
"""

import math
import sys
import time

from action_msgs.srv import CancelGoal
from geometry_msgs.msg import Pose, Twist
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import (DescribeParameters, GetParameters, GetParameterTypes, ListParameters, SetParameters,
                                SetParametersAtomically)
import rclpy
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Bool, Float64, MultiArrayDimension, String, UInt8MultiArray
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID

try:
    from control_msgs.action import FollowJointTrajectory
except ImportError:
    FollowJointTrajectory = None

HUGE = 5_000_000
MANY = 100_000
DISCOVERY_S = 15.0
LEGS = ['left_front', 'left_middle', 'left_rear', 'right_front', 'right_middle', 'right_rear']


def twist(vx, wz=0.0):
    """Return a planar Twist."""
    message = Twist()
    message.linear.x, message.angular.z = vx, wz
    return message


def pose(z, w=1.0):
    """Return a pose of the body."""
    message = Pose()
    message.position.z, message.orientation.w = z, w
    return message


def trajectory(joint, angles):
    """Return a trajectory of one joint, a point each millisecond and more."""
    points = []
    for index, angle in enumerate(angles):
        point = JointTrajectoryPoint(positions=[angle])
        point.time_from_start.sec, point.time_from_start.nanosec = 1 + index // 100, (index % 100) * 10_000_000
        points.append(point)
    return JointTrajectory(joint_names=[joint], points=points)


def joints(names, position=0.0):
    """Return a JointState."""
    return JointState(name=names, position=[position] * len(names))


def loaded(names, effort):
    """Return a JointState of servos that report their load."""
    return JointState(name=names, position=[0.0] * len(names), effort=[effort] * len(names))


def imu(up, frame=''):
    """Return what an IMU reads of gravity."""
    message = Imu()
    message.header.frame_id, message.linear_acceleration.z = frame, up
    return message


def contacts(label, count):
    """Return foot contacts."""
    message = UInt8MultiArray(data=[1] * count)
    message.layout.dim.append(MultiArrayDimension(label=label))
    return message


def parameters(*named):
    """Return a list of parameters of text."""
    return [Parameter(name=name, value=ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value))
            for name, value in named]


def numbered(count):
    """Return names that nothing has."""
    return [f'nothing_{index}' for index in range(count)]


def number_of(index):
    """Return the number of a goal."""
    return UUID(uuid=[1 + index % 200] * 16)


# Topic, and messages that are made when they are wanted.
TOPICS = {
    'cmd_vel valid': ('cmd_vel', lambda: [twist(0.0), twist(1e-6)]),
    'cmd_vel invalid': ('cmd_vel', lambda: [twist(math.nan), twist(0.0, math.inf)]),
    'velocity valid': ('velocity', lambda: [Float64(data=0.0)]),
    'velocity invalid': ('velocity', lambda: [Float64(data=math.nan)]),
    'curvature valid': ('curvature', lambda: [Float64(data=0.0), Float64(data=0.1)]),
    'curvature invalid': ('curvature', lambda: [Float64(data=math.inf)]),
    'body_pose valid': ('body_pose', lambda: [pose(0.0), pose(0.001)]),
    'body_pose invalid': ('body_pose', lambda: [pose(math.nan), pose(0.0, 9.0)]),
    'gait valid': ('gait', lambda: [String(data='tripod'), String(data='ripple')]),
    'gait invalid': ('gait', lambda: [String(data=name) for name in numbered(50)]),
    'gait huge': ('gait', lambda: [String(data='g' * HUGE), String(data='\u00e9' * (HUGE // 2))]),
    'motion valid': ('motion', lambda: [String(data='wave'), String(data='')]),
    'motion invalid': ('motion', lambda: [String(data=name) for name in numbered(50)]),
    'motion huge': ('motion', lambda: [String(data='m' * HUGE)]),
    'joint_trajectory valid': ('joint_trajectory', lambda: [trajectory('left_front_coxa', [0.1, 0.2])]),
    'joint_trajectory invalid': ('joint_trajectory', lambda: [trajectory(name, [0.1]) for name in numbered(50)]),
    'joint_trajectory huge': ('joint_trajectory', lambda: [trajectory('left_front_coxa', [0.1] * MANY)]),
    'joint_trajectory huge name': ('joint_trajectory', lambda: [trajectory('j' * HUGE, [0.1])]),
    'joint_trajectory many names': ('joint_trajectory', lambda: [JointTrajectory(
        joint_names=numbered(MANY), points=[JointTrajectoryPoint(positions=[0.0] * MANY)])]),
    'joint_commands valid': ('joint_commands', lambda: [joints(['left_front_coxa'])]),
    'joint_commands invalid': ('joint_commands', lambda: [joints([name]) for name in numbered(50)]),
    'joint_commands huge': ('joint_commands', lambda: [joints(numbered(MANY))]),
    'joint_commands huge name': ('joint_commands', lambda: [joints(['j' * HUGE])]),
    'joint_commands twice': ('joint_commands', lambda: [joints(['left_front_coxa'] * MANY)]),
    'servo_states valid': ('servo_states', lambda: [joints(['left_front_coxa'])]),
    'servo_states invalid': ('servo_states', lambda: [joints([name]) for name in numbered(50)]),
    'servo_states loaded': ('servo_states', lambda: [
        loaded([f'{leg}_{joint}' for leg in LEGS for joint in ('coxa', 'femur', 'tibia')], effort)
        for effort in (0.1, 1e300, math.nan)]),
    'servo_states huge': ('servo_states', lambda: [joints(numbered(MANY))]),
    'foot_contacts valid': ('foot_contacts', lambda: [contacts(','.join(LEGS), len(LEGS))]),
    'foot_contacts invalid': ('foot_contacts', lambda: [contacts(name, 1) for name in numbered(50)]),
    'foot_contacts huge': ('foot_contacts', lambda: [contacts('f' * HUGE, 1), contacts(','.join(LEGS), HUGE)]),
    'foot_switches valid': ('foot_switches', lambda: [contacts(','.join(LEGS), len(LEGS))]),
    'foot_switches invalid': ('foot_switches', lambda: [contacts(name, 1) for name in numbered(50)]),
    'foot_switches huge': ('foot_switches', lambda: [contacts('f' * HUGE, 1), contacts(','.join(LEGS), HUGE)]),
    'imu/data valid': ('imu/data', lambda: [imu(9.81), imu(9.7)]),
    'imu/data invalid': ('imu/data', lambda: [imu(math.nan), imu(-9.81), imu(1.0), imu(9.81, 'nowhere')]),
    'imu/data huge': ('imu/data', lambda: [imu(9.81, 'f' * HUGE)]),
    'emergency_stop valid': ('emergency_stop', lambda: [Bool(data=False)]),
    'emergency_stop true': ('emergency_stop', lambda: [Bool(data=True)]),
}

SERVICES = {
    'stand': (Trigger, lambda: [Trigger.Request()]),
    'sit': (Trigger, lambda: [Trigger.Request()]),
    'stop': (Trigger, lambda: [Trigger.Request()]),
    'pack': (Trigger, lambda: [Trigger.Request()]),
    'emergency_stop': (Trigger, lambda: [Trigger.Request()]),
    'enable': (SetBool, lambda: [SetBool.Request(data=True), SetBool.Request(data=False)]),
    'relax/left_front': (SetBool, lambda: [SetBool.Request(data=True), SetBool.Request(data=False)]),
}
if FollowJointTrajectory:
    GOAL, RESULT = FollowJointTrajectory.Impl.SendGoalService, FollowJointTrajectory.Impl.GetResultService
    SERVICES |= {
        'follow_joint_trajectory/_action/send_goal': (GOAL, lambda: [
            GOAL.Request(goal_id=number_of(index), goal=FollowJointTrajectory.Goal(trajectory=trajectory(name, [0.1])))
            for index, name in enumerate(['left_front_coxa', *numbered(50)])]),
        'follow_joint_trajectory/_action/get_result': (RESULT, lambda: [
            RESULT.Request(goal_id=number_of(index)) for index in range(50)]),
        'follow_joint_trajectory/_action/cancel_goal': (CancelGoal, lambda: [CancelGoal.Request()]),
    }
PARAMETERS = {
    'set_parameters': (SetParameters, lambda: [
        SetParameters.Request(parameters=parameters(('gait', 'ripple'))),
        SetParameters.Request(parameters=parameters(('gait', 'none'), ('nothing', 'x')))]),
    'set_parameters huge': (SetParameters, lambda: [
        SetParameters.Request(parameters=parameters(('gait', 'g' * HUGE))),
        SetParameters.Request(parameters=parameters(('n' * HUGE, 'x')))]),
    'set_parameters many': (SetParameters, lambda: [
        SetParameters.Request(parameters=parameters(*((name, 'x') for name in numbered(MANY // 10))))]),
    'set_parameters_atomically': (SetParametersAtomically, lambda: [
        SetParametersAtomically.Request(parameters=parameters(('gait', 'tripod'), ('nothing', 'x')))]),
    'get_parameters': (GetParameters, lambda: [GetParameters.Request(names=['gait', 'rate', 'nothing'])]),
    'get_parameters many': (GetParameters, lambda: [GetParameters.Request(names=['gait'] * (MANY // 10))]),
    'get_parameter_types': (GetParameterTypes, lambda: [GetParameterTypes.Request(names=['gait', 'rate'])]),
    'describe_parameters': (DescribeParameters, lambda: [DescribeParameters.Request(names=['gait', 'rate'])]),
    'describe_parameters many': (DescribeParameters, lambda: [
        DescribeParameters.Request(names=['gait'] * (MANY // 10)),
        DescribeParameters.Request(names=['n' * HUGE])]),
    'list_parameters': (ListParameters, lambda: [ListParameters.Request()]),
}


def topic_flood(node, topic, messages, suffix):
    """Return what publishes a message."""
    made = messages()
    publisher = node.create_publisher(type(made[0]), topic + suffix, QoSProfile(depth=10))
    if not suffix:
        wait(lambda: publisher.get_subscription_count() > 0, topic)
    # Made once: a flood is to be limited by the robot and the network, not by Python.
    raw = [serialize_message(message) for message in made]
    return lambda number: publisher.publish(raw[number % len(raw)])


def service_flood(node, name, service_type, requests, suffix):
    """Return what calls without waiting for the answer."""
    client = node.create_client(service_type, name + suffix)
    if not suffix:
        wait(client.service_is_ready, name)
    made = requests()

    def call(number):
        # Not call_async: nobody wants the answers, and futures of them would fill this process.
        client._Client__client.send_request(made[number % len(made)]) if hasattr(client, '_Client__client') \
            else client.call_async(made[number % len(made)])

    return call


def flood(node, kind, suffix):
    """Return what sends a message or request of a kind."""
    if kind in TOPICS:
        topic, messages = TOPICS[kind]
        return topic_flood(node, topic, messages, suffix)
    name, _, which = kind.partition('/') if '/' in kind and kind not in SERVICES else ('', '', kind)
    service_type, requests = SERVICES[which] if not name else PARAMETERS[which]
    service = f'{name}/{which.split()[0]}' if name else which
    return service_flood(node, service, service_type, requests, suffix)


def wait(ready, what):
    """Wait for who is flooded."""
    deadline = time.monotonic() + DISCOVERY_S
    while not ready():
        if time.monotonic() > deadline:
            sys.exit(f'nobody has {what}')
        time.sleep(0.02)
    time.sleep(0.2)


def repeat(work, seconds, period):
    """Do it again and again, at most once a period; return how often."""
    count, until = 0, time.monotonic() + seconds
    while (now := time.monotonic()) < until:
        work(count)
        count += 1
        if period:
            time.sleep(max(0.0, period - (time.monotonic() - now)))
    return count


def main(kinds, seconds, suffix='', rate_hz='0'):
    """Flood."""
    rclpy.init()
    node = rclpy.create_node('flooder', start_parameter_services=False, enable_rosout=False)
    period = 1.0 / float(rate_hz) if float(rate_hz) else 0.0
    print('begins', flush=True)
    floods = [flood(node, kind, suffix) for kind in kinds.split(',')]
    count = repeat(lambda number: floods[number % len(floods)](number // len(floods)), float(seconds), period)
    print(f'sent {count}', flush=True)
    node.destroy_node()
    rclpy.shutdown()


if __name__ == '__main__':
    main(*sys.argv[1:])
