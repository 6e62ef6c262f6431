"""The page in a real browser, on the composed robot with simulated servos: a phone that drives, two that want to."""

import time

import browser
from browser import Browser, difference
import figures
import pytest
from test_web import TIMEOUT_S, Web, moved

pytestmark = [pytest.mark.few, pytest.mark.skipif(browser.why_not() is not None, reason=str(browser.why_not()))]

STAND, STOP, STICK = '.dock-stand', '.stop', '.stick-walk'


@pytest.fixture
def web(session):
    """Return a robot with its page."""
    return Web(session)


@pytest.fixture
def tabs():
    """Return a browser."""
    started = Browser()
    yield started
    started.end()


def standing(web, tabs, name='phone', size='phone'):
    """Open the page, take the lease and let the robot stand."""
    tabs('open', name, url=f'http://localhost:{web.port}/', size=size)
    tabs.wait(name, '.bar-state:text-is("Sitting")')
    tabs('click', name, selector='.lease')
    tabs.wait(name, '.lease[data-kind=yours]')
    tabs('click', name, selector=STAND)
    # Start: servos on, then up.
    tabs.wait(name, '.bar-state:text-is("Standing")')


@pytest.mark.in_turn(2, 0)
def test_when_a_thumb_pushes_the_stick_expect_the_robot_to_walk_and_its_picture_to_move_and_both_to_stop_after(web, tabs):
    standing(web, tabs)
    joints, twists = web.user.listen('joint_commands'), web.user.listen('commanded_twist')
    web.user.until(lambda: len(joints) > 20, 10.0, 'joint commands')
    still, delays = tabs.pixels('phone', '.scene'), []
    for _ in range(8):
        web.user.spin(0.3)
        tabs('press', 'phone', selector=STICK)
        pushed = time.monotonic()
        tabs('drag', 'phone', dx=0, dy=-40)
        delays.append(web.user.until(lambda: moved(joints, pushed), 5.0, 'the robot walks') - pushed)
        web.user.spin(0.5)
        walking = tabs.pixels('phone', '.scene')
        tabs('lift', 'phone')
        tabs.wait('phone', '.bar-state:text-is("Standing")')
    delays.sort()
    figures.note('page: thumb to joint_commands, p95', 1e3 * delays[-1], 'ms', 100)
    assert delays[-1] <= 0.1 * figures.BUSY, delays
    assert difference(still, walking) > 0.01
    web.user.spin(0.3)
    assert twists[-1].message.linear.x == 0.0
    # Servos off and on: the first push after that counts, too, once the feet are in place, and the page says so.
    tabs('click', 'phone', selector='.dock-power')
    tabs('click', 'phone', selector='.card .danger')
    tabs.wait('phone', '.dock-power[data-on=false]')
    web.user.spin(1.0)
    tabs('click', 'phone', selector='.dock-power')
    tabs.wait('phone', '.bar-servos:text-is("Servos on")')
    web.user.spin(1.0)
    tabs('press', 'phone', selector=STICK)
    tabs('drag', 'phone', dx=0, dy=-40)
    tabs.wait('phone', '.bar-state:text-is("Walking")')
    tabs('lift', 'phone')
    tabs.wait('phone', '.bar-state:text-is("Standing")')
    assert tabs('errors', 'phone') == []


def test_when_the_tab_is_hidden_expect_zero_within_100_ms(web, tabs):
    standing(web, tabs)
    asked = web.user.listen('cmd_vel')
    tabs('press', 'phone', selector=STICK)
    tabs('drag', 'phone', dx=0, dy=-40)
    web.user.until(lambda: asked and asked[-1].message.linear.x > 0.02, 5.0, 'the stick')
    hidden = time.monotonic()
    tabs('script', 'phone', code="Object.defineProperty(document, 'hidden', {value: true});"
                                 "document.dispatchEvent(new Event('visibilitychange'))")
    zero = web.user.until(lambda: [h.received for h in asked if h.received > hidden and h.message.linear.x == 0.0], 5.0, 'zero')
    figures.note('page: hidden tab to zero', 1e3 * (zero[0] - hidden), 'ms', 100)
    assert zero[0] - hidden < 0.1 * figures.BUSY
    web.user.spin(0.5)
    assert asked[-1].message.linear.x == 0.0


def test_when_the_browser_dies_in_stride_expect_the_robot_planted(web, tabs):
    standing(web, tabs)
    feet = web.user.listen('foot_contacts')
    tabs('press', 'phone', selector=STICK)
    tabs('drag', 'phone', dx=0, dy=-40)
    web.user.until(lambda: feet and not all(feet[-1].message.data), 5.0, 'a foot in the air')
    tabs('close', 'phone')
    gone = time.monotonic()
    web.user.spin(TIMEOUT_S + 2.0)
    last_up = max(heard.received for heard in feet if not all(heard.message.data))
    figures.note('page: planted after the browser is gone', last_up - gone, 's', TIMEOUT_S + 1.0)
    assert last_up - gone < TIMEOUT_S + 1.0


@pytest.mark.in_turn(2, 1)
def test_when_two_browsers_want_to_drive_expect_both_to_show_who_does_and_either_to_stop(web, tabs):
    standing(web, tabs)
    tabs('open', 'other', url=f'http://localhost:{web.port}/', size='phone')
    tabs.wait('other', '.lease[data-kind=other]')
    servos = web.user.listen('servo_states')
    web.user.until(lambda: servos and servos[-1].message.name, 10.0, 'servos that are on since Start')
    pressed = time.monotonic()
    tabs('tap', 'other', selector=STOP)
    off = lambda: [h.received for h in servos if h.received > pressed and not h.message.name]
    figures.note('page: STOP by one that does not drive', 1e3 * (web.user.until(off, 5.0, 'servos off')[0] - pressed), 'ms')
    tabs.wait('phone', '.fault-stop')
    tabs('click', 'other', selector='.lease')
    tabs('click', 'other', selector='.card .primary')
    tabs.wait('other', '.lease[data-kind=yours]')
    tabs.wait('phone', '.lease[data-kind=other]')
