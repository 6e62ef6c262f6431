"""The robot stops when nobody commands it any more, when it is asked to, and whatever else goes on."""

import time

import figures
import pytest

pytest.importorskip('rclpy')

from user import twist
import walked

TIMEOUT_S = 0.5


@pytest.fixture(scope='module')
def user(shared_session):
    """Return a user whose robot stands."""
    shared_session.user.hear('joint_commands', 'foot_contacts', 'gait_state', 'commanded_twist')
    return shared_session.user


@pytest.fixture(autouse=True)
def _stand_again(user):
    yield
    user.quiet()
    user.publish('cmd_vel', twist())
    user.spin(0.1)
    user.call('stand')
    user.wait_state('standing')
    user.publish('cmd_vel', twist())
    user.spin(0.1)


def go(user, *command, seconds=1.3):
    """Walk and go on walking."""
    user.stream('cmd_vel', twist(*(command or (0.06,))))
    user.wait_state('walking')
    user.spin(seconds)


def publish_last(user):
    """Send a last cmd_vel and return the time before and after."""
    before = time.time()
    user.publish('cmd_vel', twist(0.06))
    return before, time.time()


def planted(user):
    """Return whether all feet are down in the first tick after what gait_state said last.

    By the time of sending: a listener that was held up hears what was said rarely before what was said often.
    """
    said = user.listen('gait_state')[-1].sent
    contacts = user.listen('foot_contacts')
    first = user.until(lambda: next((each for each in contacts if each.sent > said), None), 1.0, 'contacts after gait_state')
    return all(walked.contacts_of(first.message).values())


@pytest.mark.parametrize('command', [(0.06,), (0.0, 0.04), (0.0, 0.0, 0.4), (0.14, 0.0, 0.0), (0.05, 0.02, -0.3)], ids=str)
def test_when_commands_cease_expect_all_feet_planted_within_the_timeout_and_a_second(user, command):
    go(user, *command, seconds=1.3 + 0.13 * len(command))
    user.quiet()
    ceased = time.monotonic()
    user.wait_state('standing', seconds=5.0)
    planted_s = user.listen('gait_state')[-1].received - ceased
    assert planted(user)
    figures.note(f'last {command} to all feet planted', planted_s, 's', TIMEOUT_S + 1.0)
    assert planted_s <= TIMEOUT_S + 1.0
    user.spin(0.3)
    assert walked.twist_of(user.latest('commanded_twist')) == (0.0, 0.0, 0.0)


def test_when_commands_cease_expect_stopping_at_the_timeout_and_not_before(user):
    go(user)
    user.quiet()
    before, after = publish_last(user)
    user.wait_state('stopping', seconds=2.0)
    said = user.listen('gait_state')[-1].sent
    figures.note('last cmd_vel to stopping', said - after, 's', TIMEOUT_S)
    assert TIMEOUT_S - 0.011 <= said - before and said - after <= TIMEOUT_S + 0.05


def longest_gap(user, part):
    """Send commands with gaps of a part of the timeout and return the longest that came of it, s."""
    sent = []
    for _ in range(5):
        sent.append(time.monotonic())
        user.publish('cmd_vel', twist(0.06))
        user.spin(part * TIMEOUT_S - (time.monotonic() - sent[-1]))
    return max(later - earlier for earlier, later in zip(sent, sent[1:]))


@pytest.mark.few
@pytest.mark.parametrize('part,goes_on', [(0.9, True), (1.1, False)])
def test_when_commands_have_gaps_expect_a_stop_only_beyond_the_timeout(user, part, goes_on):
    states = user.listen('gait_state')
    for _ in range(5):
        go(user)
        user.quiet()
        start = len(states)
        if longest_gap(user, part) < (part + 0.05) * TIMEOUT_S:
            break
    else:
        pytest.fail('the machine held us up five times')
    seen = [each.message.data for each in states[start:]]
    assert ('stopping' not in seen) == goes_on, seen


def test_when_the_timeout_is_set_expect_the_new_one_to_count(user):
    [result] = user.set_params('gait_planner', cmd_vel_timeout=0.2)
    assert result.successful, result.reason
    try:
        go(user)
        user.quiet()
        before, after = publish_last(user)
        user.wait_state('stopping', seconds=2.0)
        said = user.listen('gait_state')[-1].sent
        assert 0.19 <= said - before and said - after <= 0.25
    finally:
        user.set_params('gait_planner', cmd_vel_timeout=TIMEOUT_S)


def test_when_stop_is_called_expect_it_to_win_until_the_stick_is_let_go(user):
    go(user)
    answer = user.call('stop')
    called = time.monotonic()
    assert answer.success and answer.message
    user.wait_state('standing', seconds=3.0)
    figures.note('stop to all feet planted, commands going on', time.monotonic() - called, 's', 1.0)
    assert planted(user)
    states = user.listen('gait_state')
    count = len(states)
    user.spin(1.5)
    assert len(states) == count, 'cmd_vel went on all the time and must not count'
    user.stream('cmd_vel', twist())
    user.spin(0.3)
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking', seconds=2.0)


def test_when_a_zero_twist_comes_expect_a_stop_at_once(user):
    go(user)
    user.stream('cmd_vel', twist())
    zeroed = time.monotonic()
    user.wait_state('standing', seconds=3.0)
    stopped_s = time.monotonic() - zeroed
    figures.note('zero twist to all feet planted', stopped_s, 's', 1.0)
    assert stopped_s <= 1.0


def test_when_asked_to_sit_in_mid_stride_expect_it_to_stop_sit_and_stay(user):
    go(user, 0.08, 0.0, 0.2)
    commands = user.listen('joint_commands')
    start = len(commands)
    assert user.call('sit').success
    user.wait_state('sitting', seconds=8.0)
    user.spin(1.0)
    assert user.latest('gait_state').data == 'sitting', 'a stick that is still held must not raise it again'
    walked.assert_sane(commands[start:])
    assert planted(user)


def test_when_everything_is_asked_for_at_once_expect_no_jump_and_three_feet_down(user):
    lists = user.hear(*walked.TOPICS)
    starts = [len(heard) for heard in lists]
    go(user, 0.05, 0.03, 0.4)
    for service in ('sit', 'stand', 'stop', 'stand', 'sit', 'stop', 'stand'):
        user.call(service)
        user.spin(0.37)
        user.stream('cmd_vel', twist())
        user.spin(0.12)
        user.stream('cmd_vel', twist(-0.07, 0.02, -0.5))
        user.spin(0.41)
    commands, contacts, twists, _ = [heard[start:] for heard, start in zip(lists, starts)]
    walked.assert_sane(commands)
    walked.assert_feet_down(walked.ticks_of(commands, contacts, twists))
