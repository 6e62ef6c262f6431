"""What becomes of motions and trajectories is published on `motion_status`: who asked, how far it is, how it ended and why."""

import os
import re
import subprocess
import sys

import pytest

pytest.importorskip('rclpy')

from diagnostic_msgs.msg import DiagnosticArray
from processes import ROOT
from std_msgs.msg import Bool, String
from user import listener_qos, twist

ENDS = ('succeeded', 'canceled', 'aborted', 'rejected')


def requests_of(array):
    """Return the requests of a message, by number."""
    requests = [dict({pair.key: pair.value for pair in status.values}, name=status.name, message=status.message)
                for status in array.status]
    return {int(request['request']): request for request in requests}


def newest(user):
    """Return the number of the last request so far."""
    return max(requests_of(user.latest('motion_status')), default=0)


def wait(user, number, where, seconds=12.0):
    """Wait until a request is as it should be, and return it."""
    heard = user.listen('motion_status')

    def found():
        request = requests_of(heard[-1].message).get(number) if heard else None
        return request if request and where(request) else None

    return user.until(found, seconds, lambda: f'request {number}: {[requests_of(h.message).get(number) for h in heard[-3:]]}')


def is_over(request):
    """Return whether nothing more comes of a request."""
    return request['state'] in ENDS


def script_of_the_docs():
    """Return the example of docs/scripts.md."""
    return re.search(r'```python\n(.*?)```', (ROOT / 'docs' / 'scripts.md').read_text(), re.DOTALL).group(1)


def test_when_the_script_of_the_docs_is_run_expect_it_to_wait_for_each_motion_and_to_say_how_it_ended(shared_session, tmp_path):
    script = tmp_path / 'play.py'
    script.write_text(script_of_the_docs())
    environment = {**os.environ, 'ROS_DOMAIN_ID': str(shared_session.domain)}
    for _ in range(2):
        # The second time the requests of the first are still reported.
        ran = subprocess.run([sys.executable, script, 'shake', 'moonwalk'], env=environment, capture_output=True, text=True,
                             timeout=30)
        lines = ran.stdout.splitlines()
        assert lines[0] == 'shake succeeded ' and lines[1].startswith('moonwalk rejected there is no motion'), ran
    assert shared_session.user.latest('gait_state').data == 'standing'


def test_when_a_motion_is_played_expect_its_progress_and_its_end_for_those_who_come_late(shared_session):
    user = shared_session.user
    user.listen('motion_status')
    number = newest(user) + 1
    start = len(user.listen('motion_status'))
    user.publish('motion', String(data='shake'))
    wait(user, number, is_over)
    reported = [requests_of(each.message)[number] for each in user.listen('motion_status')[start:]
            if number in requests_of(each.message)]
    progress = [float(request['progress']) for request in reported]
    assert progress == sorted(progress) and progress[-1] == 1.0 and len(progress) >= 15, progress
    assert reported[-1]['asked by'] == '/user' and reported[-1]['asked on'] == 'motion' and reported[-1]['name'] == 'shake'
    late = []
    node = user.node
    node.create_subscription(DiagnosticArray, 'motion_status', late.append, listener_qos('motion_status'))
    user.until(lambda: late, 5.0, 'the last message')
    assert requests_of(late[0])[number]['state'] == 'succeeded'


def stop(user):
    """Call the service."""
    assert user.call('stop').success


def test_when_a_motion_is_broken_off_expect_by_what(shared_session):
    user = shared_session.user
    for break_off, state, reason in [
            (stop, 'canceled', 'stop'),
            (lambda user: user.publish('motion', String(data='')), 'canceled', 'an empty motion'),
            (lambda user: user.stream('cmd_vel', twist(0.05)), 'canceled', 'cmd_vel'),
            (lambda user: user.publish('emergency_stop', Bool(data=True)), 'aborted', 'emergency stop')]:
        number = newest(user) + 1
        user.publish('motion', String(data='push_ups'))
        wait(user, number, lambda request: float(request['progress']) > 0.05)
        break_off(user)
        ended = wait(user, number, is_over)
        assert (ended['state'], ended['reason']) == (state, reason), ended
        user.quiet()
        if reason == 'emergency stop':
            # One that was sent before the stop could still be on its way: the first call may be refused.
            user.arm()
        user.stand()
        user.wait_state('standing')


def test_when_the_servos_are_let_go_expect_the_motion_aborted_at_once(session, robot):
    user = session.user
    user.arm()
    user.stand()
    user.publish('motion', String(data='push_ups'))
    wait(user, 1, lambda request: float(request['progress']) > 0.05)
    assert user.call('emergency_stop').success
    ended = wait(user, 1, is_over, seconds=1.0)
    assert ended['state'] == 'aborted' and ended['reason'] in ('emergency stop', 'the servos were released'), ended
