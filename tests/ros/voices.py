"""Up to 40 senders in one process, each with a clock of its own, over a network that can be held up.

A test starts `Voices`; this file, run as a script, is the process. Each sender is a node with a publisher on
`emergency_stop`, one on `cmd_vel` and a client of each service. Clocks are those of the thread that sends (clock_shift.c),
packets are kept back by held_up.c. Commands and answers are lines of JSON on a socket.
"""

import ctypes
import json
import mmap
import os
import random
import select
import signal
import socket
import struct
import sys
import time

HOUR_NS = 3600 * 10**9
# What a sender's clock may be like: its shift, the time at which it stands, its steps, ns.
CLOCKS = {
    'right': (0, 0, 0), 'an hour ahead': (HOUR_NS, 0, 0), 'an hour behind': (-HOUR_NS, 0, 0), '2 s ahead': (2 * 10**9, 0, 0),
    '2 s behind': (-2 * 10**9, 0, 0), 'frozen': (0, 1_700_000_000 * 10**9, 0), 'of 100 ms': (0, 0, 10**8),
    'of 3 s': (0, 0, 3 * 10**9), 'stepping': None,
}
MOST = 40
BEAT_HZ = 10.0
ANSWER_S = 20.0
NETWORK = struct.Struct('=iiii')


class Voices:
    """The process, as a test sees it."""

    def __init__(self, session, count, seed=0):
        """Start it."""
        from processes import preloadable
        folder = session.folder / f'voices_{len(session.processes)}'
        folder.mkdir()
        held = folder / 'held'
        held.write_bytes(bytes(NETWORK.size))
        with held.open('r+b') as opened:
            self._network = mmap.mmap(opened.fileno(), NETWORK.size)
        libraries = [str(preloadable(source, folder)) for source in ('clock_shift.c', 'held_up.c')]
        self._door = socket.socket(socket.AF_UNIX)
        self._door.settimeout(ANSWER_S)
        self._door.bind(str(folder / 'door'))
        self._door.listen()
        environment = {'LD_PRELOAD': ':'.join(libraries), 'HELD_UP': str(held)}
        self.process = session.start('voices.py', str(folder / 'door'), str(count), str(seed), environment=environment)
        self._lines, self.count, self._clocks = None, count, {}

    def ask(self, do, **what):
        """Have something done, and return when it was (monotonic, s), or what was asked for."""
        if self._lines is None:
            connection, _ = self._door.accept()
            connection.settimeout(ANSWER_S)
            self._lines = connection.makefile('rw')
        self._lines.write(json.dumps({'do': do, **what}) + '\n')
        self._lines.flush()
        return json.loads(self._lines.readline())

    def meet(self, listeners=1, driven=True, served=True):
        """Wait until each sender on `emergency_stop` is heard by so many, and by a planner, and each client by its server."""
        self.ask('meet', listeners=listeners, driven=driven, served=served)

    def beat(self, sources, hz=BEAT_HZ, held=()):
        """Let these, and no others, send false again and again, and those that are held true."""
        return self.ask('beat', sources=list(sources), hz=hz, held=list(held))

    def say(self, source, value=True, times=1):
        """Let one speak on `emergency_stop`."""
        return self.ask('say', source=source, value=value, times=times)

    def call(self, source, service='enable', data=True, times=1):
        """Let one call a service; the answers are kept."""
        return self.ask('call', source=source, service=service, data=data, times=times)

    def answers(self):
        """Return what services have answered since last asked, and how many calls are still open."""
        return self.ask('answers')

    def drive(self, source, vx, hz=20.0):
        """Let one command a speed on `cmd_vel` from now on; 0 is said once, and then nothing."""
        return self.ask('drive', source=source, vx=vx, hz=hz)

    def clock(self, source, kind):
        """Give one a clock."""
        self._clocks[source] = kind
        return self.ask('clock', source=source, kind=kind)

    def clock_of(self, source):
        """Return what a sender's clock is like."""
        return self._clocks.get(source, 'right')

    def network(self, hold=False, delay_s=0.0, jitter_s=0.0, doubled=0.0):
        """Keep back all that is sent from now on, or be late with it, or send a part of it twice."""
        self._network[:] = NETWORK.pack(hold, int(1e6 * delay_s), int(1e6 * jitter_s), int(1e6 * doubled))

    def is_running(self):
        """Return whether the process is there."""
        return self.process.is_running()

    def end(self):
        """End the process."""
        self._door.close()
        if self.process.is_running():
            self.process.end()


class Sender:
    """One node."""

    def __init__(self, rclpy, number, context):
        """Join the domain."""
        from geometry_msgs.msg import Twist
        from std_msgs.msg import Bool
        from std_srvs.srv import SetBool, Trigger
        self.node = rclpy.create_node(f'voice_{number}', context=context, start_parameter_services=False, enable_rosout=False)
        self.stop, self.twist, self.bool = self.node.create_publisher(Bool, 'emergency_stop', 10), Twist, Bool
        self.drive, self.clients = self.node.create_publisher(Twist, 'cmd_vel', 10), {}
        if number < 4:
            self.clients = {'enable': self.node.create_client(SetBool, 'enable'),
                            'emergency_stop': self.node.create_client(Trigger, 'emergency_stop')}
        self.clock, self.beats_hz, self.held, self.drives, self.due = 'right', 0.0, False, None, {'beat': 0.0, 'drive': 0.0}


class Chorus:
    """All senders, in their process."""

    def __init__(self, door, count, seed):
        """Join the domain."""
        from inbox import Inbox
        import rclpy
        self.rclpy, self.dice = rclpy, random.Random(seed)
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.senders = [Sender(rclpy, number, self.context) for number in range(count)]
        self.calling = [sender for sender in self.senders if sender.clients]
        self.inbox = Inbox(self.context, *(sender.node for sender in self.calling))
        self.socket, self.open, self.answered = socket.socket(socket.AF_UNIX), [], []
        self.socket.connect(door)
        self.lines = self.socket.makefile('rw')
        self.set_clock = ctypes.CDLL(None).this_threads_clock
        self.set_clock.argtypes = [ctypes.c_int64] * 3

    def run(self):
        """Do what is asked for, for as long as somebody may ask."""
        while True:
            ready, _, _ = select.select([self.socket], [], [], 0.002)
            if ready:
                line = self.lines.readline()
                if not line:
                    return
                asked = json.loads(line)
                answer = getattr(self, asked.pop('do'))(**asked)
                self.lines.write(json.dumps(time.monotonic() if answer is None else answer) + '\n')
                self.lines.flush()
            self.go_on()

    def go_on(self):
        """Beat, drive, take answers."""
        now = time.monotonic()
        for sender in self.senders:
            if sender.beats_hz and now >= sender.due['beat']:
                sender.due['beat'] = now + 1.0 / sender.beats_hz
                self.publish(sender, sender.stop, sender.bool(data=sender.held))
            if sender.drives and now >= sender.due['drive']:
                sender.due['drive'] = now + 1.0 / sender.drives[1]
                self.publish(sender, sender.drive, self.speed(sender, sender.drives[0]))
        if self.open:
            self.inbox.take(0.0)
            for future in [each for each in self.open if each.done()]:
                self.open.remove(future)
                self.answered.append([time.monotonic(), future.result().success, future.result().message])

    def publish(self, sender, publisher, message):
        """Send by the sender's clock."""
        self.at_its_time(sender, lambda: publisher.publish(message))

    def at_its_time(self, sender, send):
        """Do it by the sender's clock."""
        clock = CLOCKS[sender.clock] or (self.dice.randint(-HOUR_NS, HOUR_NS), 0, 0)
        self.set_clock(*clock)
        try:
            return send()
        finally:
            self.set_clock(0, 0, 0)

    @staticmethod
    def speed(sender, vx):
        """Return a command."""
        message = sender.twist()
        message.linear.x = float(vx)
        return message

    def meet(self, listeners, driven, served):
        """Wait for the robot."""
        deadline = time.monotonic() + ANSWER_S - 2.0
        while time.monotonic() < deadline:
            heard = all(sender.stop.get_subscription_count() >= listeners
                        and (not driven or sender.drive.get_subscription_count()) for sender in self.senders)
            clients = [client for sender in self.calling for client in sender.clients.values()]
            if heard and (not served or all(client.service_is_ready() for client in clients)):
                break
            time.sleep(0.02)
        time.sleep(0.2)

    def beat(self, sources, hz, held):
        """Let these beat."""
        for number, sender in enumerate(self.senders):
            sender.held = number in held
            sender.beats_hz = hz if number in sources or sender.held else 0.0

    def say(self, source, value, times):
        """Say it at once."""
        for _ in range(times):
            self.publish(self.senders[source], self.senders[source].stop, self.senders[source].bool(data=value))

    def call(self, source, service, data, times):
        """Call."""
        sender = self.senders[source]
        client = sender.clients[service]
        request = client.srv_type.Request(**({'data': data} if service == 'enable' else {}))
        for _ in range(times):
            self.open.append(self.at_its_time(sender, lambda: client.call_async(request)))

    def answers(self):
        """Return the answers."""
        taken, self.answered = self.answered, []
        return {'answered': taken, 'open': len(self.open)}

    def drive(self, source, vx, hz):
        """Drive, or say zero."""
        sender = self.senders[source]
        sender.drives = (vx, hz) if vx else None
        self.publish(sender, sender.drive, self.speed(sender, vx))

    def clock(self, source, kind):
        """Set a clock."""
        self.senders[source].clock = kind


def main(door, count, seed):
    """Be the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Chorus(door, int(count), seed).run()
    # Without taking leave, as a box that is switched off.
    os._exit(0)


if __name__ == '__main__':
    main(*sys.argv[1:])
