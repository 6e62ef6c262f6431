"""OE, stop button and battery alarm: through the registers behind /dev/gpiomem that rppal maps, and GPIO character devices."""

import os
from pathlib import Path
import signal
import time

import figures
import pytest

pytest.importorskip('rclpy')

from boards import HANG_FOR_EVER, HIGH, LOW, OPEN
from processes import assert_no_crash
from servo_bus import boards, command, JOINTS, library, ON_I2C, state_of, statuses, wait_fault
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

__all__ = ['boards', 'library']

OE, BUTTON, BATTERY = 17, 22, 23
PINS = tuple(part for name, pin in (('oe_pin', OE), ('stop_pin', BUTTON), ('battery_pin', BATTERY))
             for part in ('-p', f'{name}:={pin}'))


WIRED = {BUTTON: LOW, BATTERY: HIGH}


def chip(label, names, users=()):
    """Return the text of a chip whose lines are the pins of the header in their order."""
    users = dict(users)
    lines = (f'{name} {pin} {users.get(pin, "-")}' for pin, name in enumerate(names))
    return '\n'.join((label, *lines)) + '\n'


def header(label, users=(), **others):
    """Return the chip of a header, whose lines are named as the firmware's device trees do, but for `others`."""
    names = ['ID_SDA', 'ID_SCL', *(f'GPIO{pin}' for pin in range(2, 28))]
    return chip(label, [others.get(name, name) for name in names], users)


# A line of each name on another chip, too; the number of the header's chip has changed between kernels.
OTHER = 'raspberrypi-exp-gpio\nBT_ON -1 -\nGPIO17 -1 -\nGPIO22 -1 -\n'
CHIPS = {
    'registers': {'chips': None, 'pi': 4},
    'lines of a Pi 4': {'chips': {'gpiochip0': header('pinctrl-bcm2711', GPIO22='SPI_X', GPIO23='-'), 'gpiochip1': OTHER},
                        'pi': 4},
    'lines of a Pi 5': {'chips': {'gpiochip0': OTHER, 'gpiochip4': 'gpiochip11', 'gpiochip10': 'gpio-brcmstb\n- -1 -\n',
                                  'gpiochip11': header('pinctrl-rp1')}, 'pi': 5},
}


EVERY_WAY = pytest.mark.parametrize('wired', CHIPS, indirect=True)


@pytest.fixture
def wired(boards, request):
    """Return boards whose OE is wired, with a button that is not pressed and a battery that is full."""
    boards.wire(oe=OE, pins=WIRED, **CHIPS[getattr(request, 'param', 'lines of a Pi 5')])
    return boards


@pytest.fixture
def driver(session, wired):
    """Return the driver with all its pins."""
    driver = session.start('servo_driver', *ON_I2C, *PINS, environment=wired.environment)
    session.user.hear('servo_states', '/diagnostics')
    return driver


@pytest.fixture
def armed(session, driver, wired):
    """Return the user of a driver that holds every joint at 0."""
    user = session.user
    command(user, dict.fromkeys(JOINTS, 0.0))
    user.until(lambda: state_of(user) == 'disarmed', 10.0, 'the driver')
    assert wired.is_high(OE), 'cut before anything is enabled'
    arm(user, wired)
    user.client('emergency_stop')
    return user


def arm(user, boards):
    """Enable until every joint has its pulse."""
    user.until(lambda: user.enable().success, 10.0, 'servos switched on')
    user.until(lambda: state_of(user) == 'armed' and len(boards.pulses()) == 18, 5.0, 'armed')
    assert not boards.is_high(OE)


def until_cut(boards, since, seconds):
    """Return how long after `since` OE is high, s."""
    while not boards.is_high(OE):
        assert time.monotonic() < since + seconds, 'OE is still low'
        time.sleep(0.0005)
    return time.monotonic() - since


def threads(process):
    """Return the threads of a process by name."""
    tasks = Path(f'/proc/{process}/task').iterdir()
    return {(task / 'comm').read_text().strip(): int(task.name) for task in tasks}


@EVERY_WAY
def test_when_the_button_is_pressed_expect_a_stop_until_it_is_let_go_and_enabled(armed, wired):
    pressed = time.monotonic()
    wired.set_pin(BUTTON, OPEN)  # a contact that opens, or a wire that breaks
    took = until_cut(wired, pressed, 0.5)
    figures.note('stop button to OE high', took * 1e3, 'ms', 20)
    armed.until(lambda: state_of(armed) == 'emergency_stop', 1.0, 'the stop to be reported')
    assert wired.pulses() == {} and 'stop button' in armed.enable().message
    wired.set_pin(BUTTON, LOW)
    armed.spin(0.3)
    assert state_of(armed) == 'emergency_stop' and wired.is_high(OE), 'latched'
    arm(armed, wired)


@EVERY_WAY
def test_when_the_battery_is_low_expect_a_fault_and_no_fault_when_it_sags(armed, wired):
    wired.set_pin(BATTERY, LOW)
    armed.spin(0.3)
    wired.set_pin(BATTERY, HIGH)
    armed.spin(0.3)
    assert state_of(armed) == 'armed'
    since = time.monotonic()
    wired.set_pin(BATTERY, LOW)
    assert 0.5 < wait_fault(armed, since, 2.0) < 0.5 + 0.2 * figures.BUSY
    assert 'battery' in armed.enable().message


@pytest.mark.in_turn(2, 1)
def test_when_the_battery_is_low_on_a_robot_that_sits_slowly_expect_its_servos_on_until_it_does(session, wired):
    user = session.user
    session.start('servo_driver', *ON_I2C, *PINS, environment=wired.environment)
    session.start('gait_planner', '-p', 'sit_time:=10.0')
    states = user.listen('gait_state')
    user.hear('servo_states', 'joint_commands', '/diagnostics')
    user.arm()
    user.stand()
    wired.set_pin(BATTERY, LOW)
    low = time.monotonic()
    while wired.pulses():
        assert time.monotonic() < low + 40.0, 'the servos are still on'
        user.spin(0.005)
    off = time.time()
    assert time.monotonic() - low > 10.0
    user.spin(0.3)
    assert states[-1].message.data == 'sitting' and states[-1].sent < off, 'let go before it sat'
    assert state_of(user) == 'fault'


@pytest.mark.parametrize('before_s', [0.3, 0.6], ids=['as it comes', 'as it sits down'])
def test_when_the_planner_pauses_on_a_low_battery_expect_the_robot_seated_before_its_servos_go_off(session, wired, before_s):
    user = session.user
    session.start('servo_driver', *ON_I2C, *PINS, environment=wired.environment)
    planner = session.start('gait_planner')
    states = user.listen('gait_state')
    user.hear('servo_states', 'joint_commands', '/diagnostics')
    user.arm()
    user.stand()
    wired.set_pin(BATTERY, LOW)
    user.spin(before_s)
    planner.signal(signal.SIGSTOP)
    time.sleep(0.7)
    planner.signal(signal.SIGCONT)
    user.until(lambda: not wired.pulses(), 20.0, 'servos off')
    off = time.time()
    user.spin(0.3)
    assert states[-1].message.data == 'sitting' and states[-1].sent < off, 'let go before it sat'
    assert state_of(user) == 'fault'


@EVERY_WAY
@pytest.mark.draw(1)
def test_when_the_bus_hangs_expect_every_stop_to_cut_the_outputs_all_the_same(armed, driver, wired):
    armed.publisher('emergency_stop')
    wired.set(HANG_FOR_EVER, 1)
    armed.spin(0.5)
    assert not wired.is_high(OE), 'boards keep their pulses for a while after a fault'
    called = time.monotonic()
    future = armed.client('emergency_stop').call_async(Trigger.Request())
    took = until_cut(wired, called, 0.5)
    figures.note('emergency stop to OE high, bus hung', took * 1e3, 'ms', 20)
    assert took < 0.02 * figures.BUSY
    armed.until(future.done, 2.0, 'an answer')
    assert not future.result().success, 'no board was seen to be off'
    wired.set(HANG_FOR_EVER, 0)
    armed.until(lambda: state_of(armed) == 'emergency_stop', 2.0, 'the stop')
    for stop in (lambda: wired.set_pin(BUTTON, OPEN), lambda: armed.publish('emergency_stop', Bool(data=True))):
        arm(armed, wired)
        wired.set(HANG_FOR_EVER, 1)
        armed.spin(0.4)
        since = time.monotonic()
        stop()
        until_cut(wired, since, 0.1 * figures.BUSY)
        wired.set(HANG_FOR_EVER, 0)
        wired.set_pin(BUTTON, LOW)
        armed.until(lambda: state_of(armed) in ('fault', 'emergency_stop'), 2.0, 'the stop')
    armed.publish('emergency_stop', Bool(data=False))
    arm(armed, wired)
    hung = time.monotonic()
    wired.set(HANG_FOR_EVER, 1)
    armed.spin(4.5)
    assert not wired.is_high(OE)
    assert 4.9 < until_cut(wired, hung, 6.0), 'fault_off_after_s'
    driver.signal(signal.SIGTERM)
    assert driver.wait() == 1
    assert wired.is_high(OE)
    assert_no_crash(driver)
    wired.set(HANG_FOR_EVER, 0)


@EVERY_WAY
@pytest.mark.parametrize('hangs', [False, True], ids=['bus works', 'bus hangs'])
def test_when_the_driver_is_killed_expect_the_guard_to_cut_the_outputs(session, armed, driver, wired, hangs):
    wired.set(HANG_FOR_EVER, hangs)
    killed = time.monotonic()
    driver.signal(signal.SIGKILL)
    took = until_cut(wired, killed, 1.0)
    figures.note(f'kill -9 to OE high, {"bus hung" if hangs else "bus works"}', took * 1e3, 'ms', 1000)
    wired.set(HANG_FOR_EVER, 0)
    armed.until(lambda: wired.pulses() == {}, 1.0, 'all off')
    armed.spin(0.2)
    assert wired.is_high(OE), 'the guard has gone and left it so'
    session.start('servo_driver', *ON_I2C, *PINS, environment=wired.environment)
    armed.listen('/diagnostics').clear()
    armed.until(lambda: state_of(armed) == 'disarmed', 10.0, 'the next driver')
    assert wired.is_high(OE)
    arm(armed, wired)


def test_when_the_driver_has_real_time_expect_its_guard_to_have_it(driver, armed):
    guard, = driver.children()
    wanted = os.sched_getscheduler(threads(driver.pid)['servo-io'])
    assert os.sched_getscheduler(threads(guard)['guard-io']) == wanted, 'a busy machine keeps it waiting'
    assert os.sched_getscheduler(guard) == wanted, 'its main thread shares locks with the other'


@EVERY_WAY
def test_when_the_driver_ends_in_order_expect_the_outputs_cut(armed, driver, wired):
    armed.quiet()
    driver.signal(signal.SIGTERM)
    assert driver.wait() == 0
    assert wired.is_high(OE) and wired.pulses() == {}


@EVERY_WAY
def test_when_pins_are_found_expect_the_way_to_them_in_diagnostics(armed, request):
    words = next(pair.value for pair in statuses(armed)[-1][1].values if pair.key == 'pins')
    way = request.node.callspec.params['wired']
    expected = {'registers': 'registers, with rppal', 'lines of a Pi 4': 'line 17 of /dev/gpiochip0, pinctrl-bcm2711',
                'lines of a Pi 5': 'line 17 of /dev/gpiochip11, pinctrl-rp1'}
    assert expected[way] in words, words


@EVERY_WAY
def test_when_the_driver_stands_still_on_a_hung_bus_expect_its_guard_to_cut_the_outputs(armed, driver, wired):
    wired.set(HANG_FOR_EVER, 1)
    armed.spin(0.2)
    stopped = time.monotonic()
    driver.signal(signal.SIGSTOP)
    try:
        took = until_cut(wired, stopped, 1.0)
        figures.note('SIGSTOP to OE high, bus hung', took * 1e3, 'ms', 1000)
    finally:
        driver.signal(signal.SIGCONT)
        wired.set(HANG_FOR_EVER, 0)


def test_when_the_button_bounces_expect_no_stop(armed, wired):
    for _ in range(20):
        wired.set_pin(BUTTON, OPEN)
        time.sleep(0.001)
        wired.set_pin(BUTTON, LOW)
        time.sleep(0.009)
    armed.spin(0.2)
    assert state_of(armed) == 'armed' and not wired.is_high(OE)
