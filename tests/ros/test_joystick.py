"""The buttons of a joystick, pressed by rclpy, and the services that they call."""

import math
import signal

import pytest
from processes import ROOT
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Joy
from std_srvs.srv import SetBool, Trigger

CONFIG = ROOT / 'config' / 'joystick.yaml'
SIT, STOP_NOW, STOP, STAND, DISABLE, ENABLE, WAVE, BOW = 0, 1, 2, 3, 6, 7, 9, 10
BUTTONS = 11
REPEAT_S = 0.05


class Pad:
    """A joystick, and a robot that writes down what it is asked for."""

    def __init__(self, session):
        """Start the node."""
        self.user, self.asked, self.answers = session.user, [], True
        self.process = session.start('joystick', '--ros-args', '--params-file', str(CONFIG))
        for name in ('stand', 'sit', 'stop', 'pack', 'emergency_stop'):
            self.user.node.create_service(Trigger, name, self.service(name))
        self.user.node.create_service(SetBool, 'enable', self.service('enable'))
        self.motions = self.user.listen('motion')
        self.publisher = self.another()

    def another(self, qos=None):
        """Return a joystick that is heard."""
        publisher = self.user.node.create_publisher(Joy, 'joy', qos or QoSProfile(depth=10))
        self.user.until(lambda: publisher.get_subscription_count(), 15.0, 'a listener on joy')
        self.user.spin(0.3)
        return publisher

    def service(self, name):
        """Return what answers a service."""
        def answer(request, response):
            self.asked.append(name + str(getattr(request, 'data', '')))
            response.success, response.message = self.answers, 'as asked'
            return response
        return answer

    def send(self, *held, count=2, publisher=None, length=BUTTONS):
        """Repeat the state of the buttons, the axes being no numbers, and return what was asked for since."""
        message = Joy(axes=[math.nan, math.inf], buttons=[int(button in held) for button in range(length)])
        before = len(self.asked)
        for _ in range(count):
            (publisher or self.publisher).publish(message)
            self.user.spin(REPEAT_S)
        self.user.spin(0.1)
        return self.asked[before:]


@pytest.fixture
def pad(session):
    """Return a joystick that is heard."""
    return Pad(session)


def test_when_buttons_are_pressed_expect_each_to_act_once(pad):
    pad.send()
    for button, asked in {STAND: 'stand', SIT: 'sit', STOP: 'stop', STOP_NOW: 'emergency_stop', ENABLE: 'enableTrue',
                          DISABLE: 'enableFalse'}.items():
        assert pad.send(button, count=4) == [asked]
        assert pad.send() == []
    for button, motion in {WAVE: 'wave', BOW: 'bow'}.items():
        pad.send(button, count=4)
        pad.send()
        pad.user.until(lambda: pad.motions and pad.motions[-1].message.data == motion, 2.0, motion)
    assert len(pad.motions) == 2


def test_when_a_button_is_held_at_first_or_after_a_silence_or_in_nonsense_expect_nothing(pad):
    assert pad.send(STAND) == []
    assert pad.send() == [] and pad.send(STAND) == ['stand'] and pad.send() == []
    pad.user.spin(1.2)
    assert pad.send(STAND) == [], 'the joystick was lost and found'
    assert pad.send(STAND, length=0) == [] and pad.send(STAND, length=3) == [] and pad.send(STAND) == []
    assert pad.send(length=1000, count=1) == [] and pad.send(STAND, length=1000, count=1) == ['stand']
    other = pad.another(QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
    assert pad.send(STAND, publisher=other) == [], 'held on another joystick'
    assert pad.send() == [] and pad.send(SIT) == ['sit'], 'which keeps none of this one from acting'
    assert pad.process.is_running()


def test_when_buttons_are_pressed_while_the_node_stands_still_expect_nothing_but_stops(pad):
    for held, asked in (({ENABLE}, []), ({STAND, STOP_NOW}, ['emergency_stop']), ({SIT, STOP}, ['stop']), ({DISABLE}, ['enableFalse'])):
        pad.send()
        pad.process.signal(signal.SIGSTOP)
        pad.user.spin(0.2)
        assert pad.send(*held, count=4) == []
        pad.process.signal(signal.SIGCONT)
        assert pad.send(*held, count=8) == asked
        assert pad.send() == []
    pad.send()
    assert pad.send(ENABLE) == ['enableTrue'], 'pressed again'
    assert 'since this node has just stood still' in pad.process.log()


def test_when_an_emergency_stop_is_not_answered_expect_it_sent_again_while_it_is_held_and_nothing_else(pad):
    pad.answers = False
    pad.send()
    assert pad.send(STAND) == ['stand']
    asked = pad.send(STAND, STOP_NOW, SIT, count=25)
    assert set(asked) == {'emergency_stop'} and 3 <= len(asked) <= 8, asked
    pad.answers = True
    pad.send(STOP_NOW, count=8)
    assert pad.send(STOP_NOW, count=12) == []
    pad.send()
    pad.user.spin(1.2)
    assert pad.send(STOP_NOW) == ['emergency_stop'], 'pressed while the joystick was silent'
    log = pad.process.log()
    assert 'the emergency stop FAILED' in log and 'the emergency stop is not answered' in log and ' refused' in log


def test_when_a_button_means_nothing_known_expect_status_2_and_the_button(session, tmp_path):
    config = tmp_path / 'joystick.yaml'
    for old, new, words in [('button_3: stand', 'button_3: jump', ('button_3', 'jump', 'emergency_stop')),
                            ('button_3: stand', 'buton_3: stand', ('buton_3', 'button_3'))]:
        config.write_text(CONFIG.read_text().replace(old, new))
        process = session.start('joystick', '--ros-args', '--params-file', str(config))
        assert process.wait() == 2
        assert all(word in process.log() for word in words), process.log()
