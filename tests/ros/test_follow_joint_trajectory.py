"""The action `follow_joint_trajectory`, as rclpy's ActionClient, MoveIt and `ros2 action` use it."""

import signal
import subprocess
import sys
import uuid

import pytest

pytest.importorskip('rclpy')
control_msgs = pytest.importorskip('control_msgs.action', reason='control_msgs is not installed')

from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Duration, Time
from control_msgs.msg import JointComponentTolerance, JointTolerance
import rclpy
from rclpy.action import ActionClient, get_action_names_and_types
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from robot_model import LIMITS
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, String
from test_motions import joints, nothing_amiss, rejected, TOPICS, trajectory
from unique_identifier_msgs.msg import UUID
from user import twist

from processes import ROOT

FollowJointTrajectory = control_msgs.FollowJointTrajectory
Result = FollowJointTrajectory.Result
NAME = 'follow_joint_trajectory'
COXA = 'left_front_coxa'
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Longer than the result of a goal that is over is kept.
FORGOTTEN_S = 10.5


def goal(message, **fields):
    """Return a goal with a trajectory."""
    return FollowJointTrajectory.Goal(trajectory=message, **fields)


def newest_request(user):
    """Return the last request on `motion_status`."""
    status = user.latest('motion_status').status[-1]
    return {pair.key: pair.value for pair in status.values}


def long_goal():
    """Return a goal that takes a while, both ways."""
    return goal(trajectory(['right_front_coxa', COXA], (1.0, (0.3, -0.3)), (4.0, (-0.3, 0.3)), (6.0, (0.0, 0.0))))


class Arm:
    """A client of the action with a node of its own. It comes to do its work while the user waits."""

    def __init__(self, user, name='arm'):
        """Find the action."""
        self.user, self.feedback = user, []
        self.node = rclpy.create_node(name, context=user.context, start_parameter_services=False, enable_rosout=False)
        self.executor = SingleThreadedExecutor(context=user.context)
        self.executor.add_node(self.node)
        self.client = ActionClient(self.node, FollowJointTrajectory, NAME)
        self.until(self.client.server_is_ready, 15.0, 'the action')
        # The server hears of us a little later than we of it.
        self.spin(0.3)

    def close(self):
        """Leave."""
        self.client.destroy()
        self.executor.shutdown()
        self.node.destroy_node()

    def work(self):
        """Take what has come."""
        for _ in range(10):
            self.executor.spin_once(timeout_sec=0.0)

    def until(self, condition, seconds, what):
        """Work until the condition holds and return what it returned."""
        return self.user.until(lambda: (self.work(), condition())[1], seconds, what)

    def spin(self, seconds):
        """Work for a while."""
        for _ in range(round(seconds / 0.02)):
            self.user.spin(0.02)
            self.work()

    def ask(self, message):
        """Send a goal and return its handle once it is accepted or rejected."""
        sent = self.client.send_goal_async(message, feedback_callback=lambda each: self.feedback.append(each.feedback))
        self.until(sent.done, 5.0, 'an answer')
        return sent.result()

    def accepted(self, message):
        """Send a goal that is accepted."""
        handle = self.ask(message)
        assert handle.accepted
        return handle

    def ended(self, handle, seconds=12.0):
        """Return the status and the result of a goal, waiting for them."""
        asked = handle.get_result_async()
        self.until(asked.done, seconds, 'a result')
        return asked.result().status, asked.result().result

    def call(self, service, kind, request):
        """Call a service of the action."""
        return self.user.call(f'{NAME}/_action/{service}', request, kind)


@pytest.fixture
def arm(shared_session):
    """Return a client, with a robot that stands before and after."""
    arm = Arm(shared_session.user)
    yield arm
    arm.close()
    shared_session.user.wait_state('standing', seconds=10.0)


def test_when_the_graph_is_asked_expect_the_action_with_its_type(arm):
    wanted = (f'/{NAME}', ['control_msgs/action/FollowJointTrajectory'])
    arm.until(lambda: wanted in get_action_names_and_types(arm.node), 5.0, 'the action in the graph')
    server = rclpy.action.get_action_server_names_and_types_by_node
    arm.until(lambda: wanted in server(arm.node, 'gait_planner', '/'), 5.0, 'the action of the planner')


def test_when_a_goal_is_sent_expect_it_reached_in_time_with_feedback_on_the_way(arm):
    user = arm.user
    user.hear(*TOPICS)
    names = ['right_front_coxa', COXA]
    with nothing_amiss(user) as found:
        handle = arm.accepted(goal(trajectory(names, (0.6, (0.2, -0.15)), (2.0, (-0.1, 0.1)))))
        status, result = arm.ended(handle)
        last = joints(user.latest('joint_commands'))
        assert (status, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, Result.SUCCESSFUL), result
        assert [last[name] for name in names] == pytest.approx([-0.1, 0.1], abs=5e-3)
        assert user.latest('gait_state').data == 'playing', 'it is held, not left at once'
        user.wait_state('standing', seconds=6.0)
        user.spin(0.1)
    asked = newest_request(user)
    assert (asked['asked on'], asked['asked by'], asked['state']) == (NAME, '/arm', 'succeeded'), asked
    assert found.heard[0]
    assert 20 <= len(arm.feedback) <= 60, len(arm.feedback)
    times = [each.desired.time_from_start.sec + each.desired.time_from_start.nanosec * 1e-9 for each in arm.feedback]
    assert times == sorted(times) and times[0] < 0.3 and 1.8 < times[-1] <= 2.0
    assert all(list(each.joint_names) == names and len(each.desired.positions) == 2 for each in arm.feedback)
    assert max(each.desired.positions[0] for each in arm.feedback) == pytest.approx(0.2, abs=0.02)
    assert not any(each.actual.positions or each.error.positions for each in arm.feedback), 'no servo is on'
    stamps = [each.header.stamp.sec + each.header.stamp.nanosec * 1e-9 for each in arm.feedback]
    rate = (len(stamps) - 1) / (stamps[-1] - stamps[0])
    assert 10.0 <= rate <= 21.0, rate


def test_when_the_only_point_is_at_time_zero_expect_success_once_the_joint_is_there(arm):
    arm.user.hear(*TOPICS)
    status, result = arm.ended(arm.accepted(goal(trajectory([COXA], (0.0, (0.4,))))))
    assert (status, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, Result.SUCCESSFUL), result
    assert joints(arm.user.latest('joint_commands'))[COXA] == pytest.approx(0.4, abs=0.02)


def wrong(**fields):
    """Return a good goal, but for these fields."""
    return goal(trajectory([COXA], (1.0, (0.1,))), **fields)


def old():
    """Return a goal that should have been over long ago."""
    late = wrong()
    late.trajectory.header.stamp = Time(sec=1000)
    return late


def bad_goals():
    """Return goals that cannot be done, the code of each and a word of the reason."""
    several = wrong()
    several.multi_dof_trajectory.joint_names = ['base']
    wide = wrong()
    wide.trajectory.points[0].velocities = [0.0, 0.0]
    return {
        'no such joint': (goal(trajectory(['left_front_cxa'], (1.0, (0.1,)))), Result.INVALID_JOINTS, COXA),
        'joint twice': (goal(trajectory([COXA, COXA], (1.0, (0.1, 0.1)))), Result.INVALID_JOINTS, 'twice'),
        'no joint': (goal(trajectory([], (1.0, ()))), Result.INVALID_JOINTS, 'joint_names'),
        'many joints': (goal(trajectory(['j'] * 65, (1.0, [0.1] * 65))), Result.INVALID_JOINTS, 'too many'),
        'no point': (goal(trajectory([COXA])), Result.INVALID_GOAL, 'points'),
        'nan': (goal(trajectory([COXA], (1.0, (float('nan'),)))), Result.INVALID_GOAL, 'nan'),
        'too few': (goal(trajectory([COXA], (1.0, ()))), Result.INVALID_GOAL, 'positions'),
        'velocities': (wide, Result.INVALID_GOAL, 'velocities'),
        'order': (goal(trajectory([COXA], (2.0, (0.1,)), (1.0, (0.2,)))), Result.INVALID_GOAL, 'increase'),
        'limits': (goal(trajectory([COXA], (1.0, (LIMITS[COXA].upper + 0.01,)))), Result.INVALID_GOAL, 'limits'),
        'ground': (goal(trajectory([f'{leg}_femur' for leg in (
            'left_front', 'left_middle', 'left_rear', 'right_front', 'right_middle', 'right_rear')], (1.0, [1.4] * 6))),
            Result.INVALID_GOAL, 'ground'),
        'several degrees of freedom': (several, Result.INVALID_GOAL, 'multi_dof_trajectory'),
        'component tolerance': (wrong(component_path_tolerance=[JointComponentTolerance()]), Result.INVALID_GOAL, 'component'),
        'old': (old(), Result.OLD_HEADER_TIMESTAMP, 'header.stamp'),
        'tolerance of another': (wrong(path_tolerance=[JointTolerance(name='x')]), Result.INVALID_JOINTS, 'path_tolerance'),
        'negative tolerance': (wrong(goal_tolerance=[JointTolerance(name=COXA, position=-0.5)]), Result.INVALID_GOAL, '-0.5'),
        'negative time': (wrong(goal_time_tolerance=Duration(sec=-2)), Result.INVALID_GOAL, 'goal_time_tolerance'),
    }


@pytest.mark.parametrize('kind', bad_goals())
def test_when_a_goal_cannot_be_done_expect_its_code_and_the_reason_and_nothing_moved(arm, kind):
    message, code, word = bad_goals()[kind]
    before = joints(arm.user.latest('joint_commands'))
    status, result = arm.ended(arm.accepted(message))
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, code), result
    assert word in result.error_string.lower() and len(result.error_string) < 700, result.error_string
    arm.spin(0.2)
    assert joints(arm.user.latest('joint_commands')) == before
    assert arm.user.latest('gait_state').data == 'standing'


def test_when_its_client_cancels_expect_the_goal_canceled_and_the_robot_standing_in_order(arm):
    user = arm.user
    user.hear(*TOPICS)
    with nothing_amiss(user):
        handle = arm.accepted(long_goal())
        user.wait_state('playing', seconds=2.0)
        arm.spin(1.5)
        asked = handle.get_result_async()
        canceled = handle.cancel_goal_async()
        arm.until(canceled.done, 5.0, 'an answer')
        assert canceled.result().return_code == CancelGoal.Response.ERROR_NONE
        assert [bytes(each.goal_id.uuid) for each in canceled.result().goals_canceling] == [bytes(handle.goal_id.uuid)]
        arm.until(asked.done, 8.0, 'a result')
        assert asked.result().status == GoalStatus.STATUS_CANCELED
        assert asked.result().result.error_code == Result.SUCCESSFUL
        user.wait_state('standing', seconds=1.0)
    again = handle.cancel_goal_async()
    arm.until(again.done, 5.0, 'an answer')
    assert again.result().return_code == CancelGoal.Response.ERROR_GOAL_TERMINATED
    unknown = CancelGoal.Request(goal_info=GoalInfo(goal_id=UUID(uuid=list(uuid.uuid4().bytes))))
    assert arm.call('cancel_goal', CancelGoal, unknown).return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID


@pytest.mark.parametrize('how', ['stop', 'sit', 'stand', 'cmd_vel', 'motion', 'no motion'])
def test_when_something_else_is_asked_for_expect_the_goal_aborted_with_what_it_was(arm, how):
    user = arm.user
    user.hear(*TOPICS)
    if how == 'cmd_vel':
        # A test before may have stopped the robot.
        user.publish('cmd_vel', twist())
    with nothing_amiss(user):
        handle = arm.accepted(long_goal())
        user.wait_state('playing', seconds=2.0)
        arm.spin(1.2)
        if how == 'cmd_vel':
            user.stream('cmd_vel', twist(0.05))
        elif 'motion' in how:
            user.publish('motion', String(data='' if 'no' in how else 'shake'))
        else:
            assert user.call(how).success
        status, result = arm.ended(handle, 2.0)
        assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, Result.INVALID_GOAL)
        assert {'motion': 'another motion', 'no motion': 'an empty motion'}.get(how, how) in result.error_string, result
        if how == 'cmd_vel':
            user.wait_state('walking', seconds=5.0)
            user.quiet()
        user.wait_state('sitting' if how == 'sit' else 'standing', seconds=12.0)
        user.spin(0.1)
    if how == 'sit':
        user.stand()


def test_when_a_new_goal_comes_expect_the_old_one_aborted_and_the_new_one_reached(arm):
    user, other = arm.user, Arm(arm.user, 'other')
    user.hear(*TOPICS)
    try:
        with nothing_amiss(user):
            first = arm.accepted(long_goal())
            user.wait_state('playing', seconds=2.0)
            arm.spin(1.5)
            second = other.accepted(goal(trajectory(['left_rear_coxa'], (1.0, (0.2,)))))
            status, result = arm.ended(first, 2.0)
            assert status == GoalStatus.STATUS_ABORTED and 'another goal' in result.error_string, result
            before = len(arm.feedback)
            status, result = other.ended(second)
            assert status == GoalStatus.STATUS_SUCCEEDED, result
            assert joints(user.latest('joint_commands'))['left_rear_coxa'] == pytest.approx(0.2, abs=5e-3)
            arm.work()
            assert len(arm.feedback) <= before + 2, 'each client has the feedback of its own goal'
            assert all(list(each.joint_names) == ['left_rear_coxa'] for each in other.feedback) and len(other.feedback) > 5
            # Right at the end, while the last point is held.
            third = arm.accepted(goal(trajectory([COXA], (0.5, (0.1,)))))
            status, result = arm.ended(third)
            assert status == GoalStatus.STATUS_SUCCEEDED, result
            user.wait_state('standing', seconds=6.0)
    finally:
        other.close()


def test_when_the_robot_does_something_else_expect_goals_rejected_with_the_reason_in_the_log(arm, shared_session):
    user = arm.user
    count = rejected(user, NAME)
    user.publish('motion', String(data='push_ups'))
    user.wait_state('playing', seconds=2.0)
    assert not arm.ask(long_goal()).accepted
    assert user.call('stop').success
    user.wait_state('standing', seconds=6.0)
    assert user.call('sit').success
    user.wait_state('sitting')
    assert not arm.ask(long_goal()).accepted
    status = user.diagnostics('gait_planner', lambda status: int(status.values.get(f'rejected on {NAME}', 0)) >= count + 2)
    assert 'sitting' in status.values[f'last reason on {NAME}']
    assert f'{NAME}: the robot is playing; trajectories are played while it stands' in shared_session.robot.log()
    user.stand()


@pytest.mark.in_turn(2, 0)
def test_when_the_result_is_asked_for_late_expect_it_for_ten_seconds(arm):
    handle = arm.accepted(goal(trajectory([COXA], (0.5, (0.1,)))))
    arm.user.wait_state('playing', seconds=2.0)
    arm.user.wait_state('standing', seconds=6.0)
    status, result = arm.ended(handle, 2.0)
    assert (status, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, Result.SUCCESSFUL)
    arm.spin(FORGOTTEN_S)
    status, _ = arm.ended(handle, 2.0)
    assert status == GoalStatus.STATUS_UNKNOWN


def test_when_goals_go_by_expect_their_states_on_the_latched_status(arm):
    user = arm.user
    first = arm.accepted(goal(trajectory([COXA], (0.5, (0.1,)))))
    arm.ended(first)
    user.wait_state('standing', seconds=6.0)
    second = arm.accepted(long_goal())
    user.wait_state('playing', seconds=2.0)
    arm.spin(0.5)
    late = []
    arm.node.create_subscription(GoalStatusArray, f'{NAME}/_action/status', late.append, LATCHED)
    arm.until(lambda: late, 5.0, 'a status')
    states = {bytes(each.goal_info.goal_id.uuid): each.status for each in late[-1].status_list}
    assert states[bytes(first.goal_id.uuid)] == GoalStatus.STATUS_SUCCEEDED
    assert states[bytes(second.goal_id.uuid)] == GoalStatus.STATUS_EXECUTING
    # All that are under way: no number, no time.
    response = arm.call('cancel_goal', CancelGoal, CancelGoal.Request())
    assert [bytes(each.goal_id.uuid) for each in response.goals_canceling] == [bytes(second.goal_id.uuid)]
    assert arm.ended(second)[0] == GoalStatus.STATUS_CANCELED


CLIENT = """
import sys, rclpy
from rclpy.action import ActionClient
from control_msgs.action import FollowJointTrajectory as Action
from trajectory_msgs.msg import JointTrajectoryPoint
rclpy.init()
node = rclpy.create_node('mortal')
client = ActionClient(node, Action, 'follow_joint_trajectory')
client.wait_for_server()
goal = Action.Goal()
goal.trajectory.joint_names = ['left_front_coxa']
goal.trajectory.points = [JointTrajectoryPoint(positions=[0.2])]
goal.trajectory.points[0].time_from_start.sec = 3
sent = client.send_goal_async(goal, feedback_callback=lambda _: print('feedback', flush=True))
rclpy.spin_until_future_complete(node, sent)
print('accepted', sent.result().accepted, flush=True)
ended = sent.result().get_result_async()
rclpy.spin_until_future_complete(node, ended)
"""


@pytest.mark.in_turn(2, 1)
def test_when_a_client_is_killed_expect_its_goal_to_go_on_to_its_end_and_the_next_one_served(arm, shared_session, monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', str(shared_session.domain))
    user = arm.user
    for _ in range(2):
        mortal = subprocess.Popen([sys.executable, '-c', CLIENT], stdout=subprocess.PIPE, text=True)
        try:
            lines = [mortal.stdout.readline() for _ in range(3)]
            assert 'accepted True\n' in lines, lines
            user.spin(0.1)
        finally:
            mortal.send_signal(signal.SIGKILL)
            mortal.communicate()
        user.wait_state('playing', seconds=2.0)
        user.wait_state('standing', seconds=10.0)
    status, result = arm.ended(arm.accepted(goal(trajectory([COXA], (1.0, (0.1,))))))
    assert status == GoalStatus.STATUS_SUCCEEDED, result
    assert shared_session.robot.is_running()


def test_when_the_robot_is_in_a_namespace_expect_the_action_there(session):
    session.start('hexapod', 'run', '--ros-args', '-r', '__ns:=/robot1')
    wanted = (f'/robot1/{NAME}', ['control_msgs/action/FollowJointTrajectory'])
    session.user.until(lambda: wanted in get_action_names_and_types(session.user.node), 10.0, 'the action')


def test_when_servos_are_stopped_expect_the_goal_aborted_and_goals_rejected_until_they_are_enabled(session, robot):
    user = session.user
    user.hear('joint_commands', 'gait_state', 'servo_states')
    user.arm()
    user.stand()
    arm = Arm(user)
    try:
        handle = arm.accepted(long_goal())
        user.wait_state('playing', seconds=2.0)
        arm.spin(1.5)
        latest = arm.feedback[-1]
        assert latest.actual.positions == pytest.approx(latest.desired.positions, abs=0.1), 'what the boards were sent'
        assert list(latest.error.positions) == pytest.approx(
            [to - at for to, at in zip(latest.desired.positions, latest.actual.positions)])
        user.publish('emergency_stop', Bool(data=True))
        status, result = arm.ended(handle, 2.0)
        assert status == GoalStatus.STATUS_ABORTED, result
        assert 'emergency stop' in result.error_string or 'released' in result.error_string, result
        assert not arm.ask(long_goal()).accepted
        assert 'emergency stop' in robot.log()
        # The process ends in the middle of a goal.
        user.arm()
        user.stand()
        handle = arm.accepted(long_goal())
        user.wait_state('playing', seconds=2.0)
        asked = handle.get_result_async()
        arm.spin(0.5)
        robot.signal(signal.SIGTERM)
        arm.until(asked.done, 8.0, 'a result')
        assert asked.result().status == GoalStatus.STATUS_ABORTED
        assert 'the end of the process' in asked.result().result.error_string
        arm.until(lambda: not robot.is_running(), 8.0, 'the end')
        assert robot.wait(1.0) == 0
    finally:
        arm.close()


class Servos:
    """Servos that say how far off one joint is, with speeds as those that measure have them, or without."""

    def __init__(self, user, measures):
        """Follow the planner."""
        self.measures, self.off = measures, 0.0
        self.commands = user.hear('joint_commands')
        user.next('joint_commands')
        user.stream('servo_states', self.states, rate=50.0)

    def states(self):
        """Return where the servos are."""
        message = self.commands[-1].message
        positions = [at - self.off if name == COXA else at for name, at in zip(message.name, message.position)]
        return JointState(name=message.name, position=positions, velocity=list(message.velocity) if self.measures else [])


@pytest.mark.parametrize('measures', [True, False], ids=['measured', 'not measured'])
@pytest.mark.in_turn(2, 0)
def test_when_a_joint_is_off_expect_the_tolerances_kept_where_servos_measure_and_the_robot_standing(session, measures):
    user = session.user
    planner = session.start('gait_planner', '--ros-args', '--params-file', str(ROOT / 'config' / 'hexapod.yaml'))
    user.hear('joint_commands', 'gait_state')
    servos = Servos(user, measures)
    user.stand()
    arm = Arm(user)
    try:
        strict = {'path_tolerance': [JointTolerance(name=COXA, position=0.1)],
                  'goal_tolerance': [JointTolerance(name=COXA, position=0.05)]}

        def end(off_meanwhile, off_at_end):
            handle = arm.accepted(goal(trajectory([COXA], (1.0, (0.2,)), (2.0, (0.1,))), **strict))
            user.wait_state('playing', seconds=2.0)
            servos.off = off_meanwhile
            arm.spin(1.0)
            servos.off = off_at_end
            status, result = arm.ended(handle)
            servos.off = 0.0
            user.wait_state('standing', seconds=6.0)
            return status, result.error_code, result.error_string

        succeeded = (GoalStatus.STATUS_SUCCEEDED, Result.SUCCESSFUL)
        assert end(0.0, 0.0)[:2] == succeeded
        assert end(0.09, 0.04)[:2] == succeeded
        cases = ((0.2, 0.0, Result.PATH_TOLERANCE_VIOLATED), (0.0, 0.08, Result.GOAL_TOLERANCE_VIOLATED))
        for meanwhile, at_end, code in cases:
            status, found, text = end(meanwhile, at_end)
            if measures:
                assert (status, found) == (GoalStatus.STATUS_ABORTED, code), text
                assert COXA in text and 'rad' in text, text
            else:
                assert (status, found) == succeeded, text
        compared = [each for each in arm.feedback if each.error.positions]
        # What is beyond the tolerance ends the goal before any feedback of it.
        assert max(abs(each.error.positions[0]) for each in compared) == pytest.approx(0.09 if measures else 0.2, abs=0.03)
        assert measures or 'the servos do not measure' in planner.log()
    finally:
        arm.close()
