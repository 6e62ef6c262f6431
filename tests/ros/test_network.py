"""Between the robot and its user lies a network that loses, delays, overtakes and doubles packets, and breaks.

All that the far user and the robot say to each other passes `relay.py`; the test itself listens to the robot directly.
"""

import signal
import time

import figures
import pytest

pytest.importorskip('rclpy')

from test_middleware import PORTS_OF_A_DOMAIN, port_of_everybody
from user import twist

TIMEOUT_S = 0.5
PLANTED_S = 1.0
# Where the far user listens: at the end of its domain's ports (DDSI-RTPS 2.5, section 9.6.2.3), where nobody looks for
# participants. Not in another domain's, where a robot of another test would find it and be driven by it.
METATRAFFIC, USER = 240, 241
# A tick, what the body is slowed down by smoothly at first, and what the machine takes to tell of it.
SLACK_S = 0.08 * figures.BUSY

# Loss, delay (s), jitter (s), duplicates.
NETWORKS = {
    'good': (0.0, 0.0, 0.0, 0.0),
    'wi-fi at the edge': (0.05, 0.15, 0.05, 0.0),
    'wi-fi beyond it': (0.1, 0.3, 0.1, 0.05),
    'overtaking': (0.0, 0.1, 0.1, 0.25),
    'all at once': (0.2, 0.2, 0.1, 0.1),
}
PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com"><profiles>
  <transport_descriptors><transport_descriptor>
    <transport_id>udp</transport_id><type>UDPv4</type>
    <interfaceWhiteList><address>127.0.0.1</address></interfaceWhiteList>
  </transport_descriptor></transport_descriptors>
  <participant profile_name="far" is_default_profile="true"><rtps>
    <builtin>
      <metatrafficUnicastLocatorList><locator><udpv4>
        <address>127.0.0.1</address><port>{metatraffic}</port></udpv4></locator></metatrafficUnicastLocatorList>
      <initialPeersList><locator><udpv4>
        <address>127.0.0.1</address><port>{relay}</port></udpv4></locator></initialPeersList>
      <discovery_config>
        <leaseDuration><sec>20</sec></leaseDuration>
        <leaseAnnouncement><sec>0</sec><nanosec>200000000</nanosec></leaseAnnouncement>
      </discovery_config>
    </builtin>
    <defaultUnicastLocatorList><locator><udpv4>
      <address>127.0.0.1</address><port>{user}</port></udpv4></locator></defaultUnicastLocatorList>
    <useBuiltinTransports>false</useBuiltinTransports>
    <userTransports><transport_id>udp</transport_id></userTransports>
  </rtps></participant>
</profiles></dds>
"""


def times(process):
    """Return the times a process has printed, without the last line, which may not be whole."""
    lines = process.log().splitlines()[:-1]
    return [float(line) for line in lines if line.count('.') == 1 and ' ' not in line]


class Far:
    """A user behind a network."""

    def __init__(self, session, robot, network, reliability):
        """Put the network between the robot and a user who drives."""
        user, everybody = session.user, port_of_everybody(session)
        inside = range(everybody + 1, everybody + PORTS_OF_A_DOMAIN)

        def ports():
            # A participant's ports are neighbours: the even one is for discovery.
            return sorted(port for port in robot.udp_ports() if port in inside)

        user.until(lambda: len(ports()) == 2, 10.0, "the robot's ports")
        far = [everybody + METATRAFFIC, everybody + USER]
        listed = [','.join(map(str, pair)) for pair in (far, ports())]
        self.relay = session.start('relay.py', *map(str, NETWORKS[network]), '7', *listed)
        user.until(lambda: '\n' in self.relay.log(), 10.0, 'a relay')
        profile = session.folder / 'far.xml'
        profile.write_text(PROFILE.format(metatraffic=far[0], user=far[1], relay=self.relay.log().split()[0]))
        environment = {'FASTRTPS_DEFAULT_PROFILES_FILE': str(profile), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SYSTEM_DEFAULT'}
        self.remote = session.start('remote.py', '20', '0.06', reliability, environment=environment)
        self.user, self.walked = user, user.listen('commanded_twist')

    def walks(self):
        """Wait until the robot does what the user far away wants."""
        self.user.until(lambda: 'walking' in {each.message.data for each in self.user.listen('gait_state')[-1:]}, 20.0,
                        'a robot that walks')
        self.user.spin(1.5)

    def last_moved(self):
        """Return when the robot last said that it walks, monotonic, s."""
        moving = [each.received for each in self.walked if speed(each.message) > 1e-6]
        return moving[-1]

    def last_asked(self):
        """Return when it last said that it walks faster or as fast as before: it obeyed a command then."""
        speeds = [(each.received, speed(each.message)) for each in self.walked]
        rising = [at for (_, before), (at, now) in zip(speeds, speeds[1:]) if now > 1e-6 and now >= before - 1e-9]
        return rising[-1]


def speed(message):
    """Return how fast a twist is."""
    return abs(message.linear.x) + abs(message.linear.y) + abs(message.angular.z)


def stop_sending(far):
    """The user lets go of the stick; what was lost may be sent again."""
    far.remote.signal(signal.SIGUSR1)


def die(far):
    """The user's process is gone from one moment to the next."""
    far.remote.signal(signal.SIGKILL)


def cut(far):
    """The network is gone, with all that is in it."""
    far.relay.signal(signal.SIGKILL)


@pytest.mark.draw(5)
@pytest.mark.parametrize('reliability', ['RELIABLE', 'BEST_EFFORT'])
@pytest.mark.parametrize('end', [stop_sending, die, cut], ids=lambda end: end.__name__)
@pytest.mark.parametrize('network', NETWORKS)
def test_when_commands_end_behind_a_bad_network_expect_the_robot_planted_in_time_and_nothing_replayed(
        session, robot, network, end, reliability):
    user = session.user
    user.hear('gait_state', 'commanded_twist', 'joint_commands')
    user.stand()
    far = Far(session, robot, network, reliability)
    far.walks()
    end(far)
    ended = time.monotonic()
    user.spin(6.0)
    _, delay_s, jitter_s, _ = NETWORKS[network]
    latest_s = delay_s + jitter_s
    # After a cut it goes on sending to nobody.
    sent = [at for at in times(far.remote) if at <= ended + SLACK_S][-1]
    asked, moved = far.last_asked(), far.last_moved()
    name = f'{network}, {end.__name__}, {reliability.lower()}'
    figures.note(f'{name}: last obeyed after the last was sent', asked - sent, 's', TIMEOUT_S + latest_s)
    figures.note(f'{name}: planted after that', moved - sent, 's', TIMEOUT_S + latest_s + PLANTED_S)
    assert asked - sent <= TIMEOUT_S + latest_s + SLACK_S
    assert moved - sent <= TIMEOUT_S + latest_s + PLANTED_S
    assert user.latest('gait_state').data == 'standing'


def test_when_a_network_is_bad_but_there_expect_the_robot_driven_or_stopped_and_never_beyond_what_was_asked(session, robot):
    user = session.user
    user.hear('gait_state', 'commanded_twist', 'joint_commands')
    user.stand()
    far = Far(session, robot, 'all at once', 'RELIABLE')
    far.walks()
    user.spin(8.0)
    assert max(speed(each.message) for each in far.walked) <= 0.06 * 1.001
    states = {each.message.data for each in user.listen('gait_state')}
    assert 'fault' not in states, states
    far.remote.signal(signal.SIGKILL)
    user.publish('cmd_vel', twist())
    user.wait_state('standing')
