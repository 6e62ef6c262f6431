"""Pins that are lines of the GPIO character device: kernels, others who have a line, and what guards do with it."""

import os
import shutil
import signal
import subprocess
import time

import pytest

pytest.importorskip('rclpy')

from boards import HANG_FOR_EVER, OPEN
from processes import ROOT, binary
from servo_bus import boards, command, JOINTS, library, ON_I2C, state_of, statuses
from test_real_pins import arm, armed, BUTTON, CHIPS, driver, header, OE, PINS, until_cut, wired, WIRED

__all__ = ['armed', 'boards', 'driver', 'library', 'wired']


def test_when_the_chip_has_gone_expect_all_off_and_the_reason(armed, driver, wired):
    wired.lose_chips()
    armed.until(lambda: wired.pulses() == {}, 0.5, 'all off over the bus')
    armed.until(lambda: state_of(armed) == 'emergency_stop', 1.0, 'the stop')
    assert not armed.enable().success
    assert 'OE cannot be set (No such device' in driver.log()


@pytest.mark.parametrize('lacks', ['no_v2', 'no_bias'])
def test_when_the_kernel_is_too_old_for_lines_expect_registers_and_the_reason(session, boards, lacks):
    boards.wire(oe=OE, pins=WIRED, **CHIPS['lines of a Pi 4'])
    boards.set_kernel(lacks)
    assert 'registers, with rppal (not the character device: ' in way_of_armed(session, boards)


def test_when_another_program_reads_the_button_expect_it_shared_through_registers(session, boards):
    boards.wire(oe=OE, pins=WIRED, chips={'gpiochip0': header('pinctrl-bcm2711', [(BUTTON, 'gpiozero')])}, pi=4)
    assert 'gpiozero has it' in way_of_armed(session, boards)
    boards.set_pin(BUTTON, OPEN)
    until_cut(boards, time.monotonic(), 0.5)


def way_of_armed(session, boards):
    """Start and enable a driver with its pins, and return how it says that it reaches them."""
    session.start('servo_driver', *ON_I2C, *PINS, environment=boards.environment)
    user = session.user
    user.hear('servo_states', '/diagnostics')
    command(user, dict.fromkeys(JOINTS, 0.0))
    arm(user, boards)
    return next(pair.value for pair in statuses(user)[-1][1].values if pair.key == 'pins')


GPIO17 = 'GPIO17 (line 17 of /dev/gpiochip0, pinctrl-bcm2711)'


@pytest.mark.parametrize(('users', 'words'), [
    ([(OE, 'gpio-hog')], (GPIO17, 'gpio-hog has it', 'gpioinfo', 'gpio:=registers')),
    ([(BUTTON, 'spi0_cs0>')], ('GPIO22 ', 'spi0_cs0 has it', 'gpioinfo')),
    ([], ('no GPIO chip has a line GPIO17', 'Raspberry Pi')),
], ids=['OE in use', 'button driven', 'not there'])
def test_when_a_line_cannot_be_had_expect_which_and_who_has_it_and_what_to_do(session, boards, users, words):
    chip = header('pinctrl-bcm2711', users) if users else 'raspberrypi-exp-gpio\nBT_ON -1 -\n'
    boards.wire(oe=OE, pins=WIRED, chips={'gpiochip0': chip}, pi=4)
    access = [] if users else ['-p', 'gpio:=character_device']
    driver = session.start('servo_driver', *ON_I2C, *PINS, *access, environment=boards.environment)
    assert driver.wait() == 1
    assert all(word in driver.log() for word in words), driver.log()
    assert boards.pulses() == {} and boards.is_high(OE)


FOR_GUARDS = tuple(f'servo_driver.{word}' if ':=' in word else word for word in PINS)


@pytest.mark.parametrize('wired', ['registers', 'lines of a Pi 4'], indirect=True)
def test_when_a_guard_starts_while_the_driver_stands_still_expect_it_to_cut_the_outputs(session, armed, driver, wired):
    guard, = driver.children()
    wired.set(HANG_FOR_EVER, 1)
    driver.signal(signal.SIGSTOP)
    try:
        os.kill(guard, signal.SIGKILL)
        armed.spin(0.3)
        assert not wired.is_high(OE), 'nobody is there'
        session.start('hexapod', 'guard', '--bus', 'i2c', *FOR_GUARDS, environment=wired.environment)
        until_cut(wired, time.monotonic(), 10.0)
    finally:
        driver.signal(signal.SIGCONT)
        wired.set(HANG_FOR_EVER, 0)


@pytest.mark.parametrize('trait', [None, 'strict'])
def test_when_driver_and_guard_are_killed_together_expect_a_kernel_that_is_strict_to_cut_the_outputs(
        armed, driver, wired, trait):
    if trait:
        wired.set_kernel(trait)
    os.kill(driver.children()[0], signal.SIGKILL)
    driver.signal(signal.SIGKILL)
    killed = time.monotonic()
    driver.wait()
    if trait:
        until_cut(wired, killed, 0.5)
    else:
        armed.spin(0.5)
        assert not wired.is_high(OE), 'the pin of a line that nobody has stays as it was'
        off = subprocess.run([binary('hexapod'), 'guard', '--off', '--bus', 'i2c', *FOR_GUARDS], cwd=ROOT, timeout=20.0,
                             env={**os.environ, **wired.environment}, stdin=subprocess.DEVNULL)
        assert off.returncode == 0 and wired.is_high(OE)


def test_when_driver_guard_and_chip_have_gone_expect_all_off_over_the_bus_and_the_reason(driver, armed, wired):
    os.kill(driver.children()[0], signal.SIGKILL)
    driver.signal(signal.SIGKILL)
    driver.wait()
    shutil.rmtree(f'{wired.path}.chips')
    assert len(wired.pulses()) == len(JOINTS)
    off = subprocess.run([binary('hexapod'), 'guard', '--off', '--bus', 'i2c', *FOR_GUARDS], cwd=ROOT, timeout=20.0,
                         env={**os.environ, **wired.environment}, stdin=subprocess.DEVNULL, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert 'OE is not cut' in off.stdout and 'all channels are off' in off.stdout
    assert off.returncode == 0 and wired.pulses() == {}


def test_when_a_guard_that_is_halted_has_the_line_expect_the_next_driver_to_say_so_until_it_goes_on(session, wired):
    guard = session.start('hexapod', 'guard', '--bus', 'i2c', *FOR_GUARDS, environment=wired.environment)
    unguarded = (*ON_I2C, *PINS, '-p', 'guard:=false')
    driver = session.start('servo_driver', *unguarded, environment=wired.environment)
    user = session.user
    user.hear('servo_states', '/diagnostics')
    command(user, dict.fromkeys(JOINTS, 0.0))
    arm(user, wired)
    user.spin(0.2)
    guard.signal(signal.SIGSTOP)
    driver.signal(signal.SIGKILL)
    driver.wait()
    second = session.start('servo_driver', *unguarded, environment=wired.environment)
    assert second.wait() == 1
    assert f'hexapod {driver.pid} has it' in second.log() and 'pgrep' in second.log(), second.log()
    guard.signal(signal.SIGCONT)
    until_cut(wired, time.monotonic(), 1.0)
    session.start('servo_driver', *unguarded, environment=wired.environment)
    user.listen('/diagnostics').clear()
    user.until(lambda: state_of(user) == 'disarmed', 10.0, 'the next driver')
    arm(user, wired)


def test_when_a_driver_follows_another_expect_the_line_handed_on_by_a_guard_that_stays(session, wired):
    session.start('hexapod', 'guard', '--bus', 'i2c', *FOR_GUARDS, environment=wired.environment)
    user = session.user
    for ends in (signal.SIGTERM, signal.SIGKILL):
        driver = session.start('servo_driver', *ON_I2C, *PINS, '-p', 'guard:=false', environment=wired.environment)
        user.hear('servo_states', '/diagnostics')
        user.listen('/diagnostics').clear()
        command(user, dict.fromkeys(JOINTS, 0.0))
        user.until(lambda: state_of(user) == 'disarmed', 10.0, 'the driver')
        arm(user, wired)
        ended = time.monotonic()
        driver.signal(ends)
        until_cut(wired, ended, 5.0)
        user.quiet()
        driver.wait()
