"""A bad network between the robot and one other process, without any rights: a relay that both take for the other.

`relay.py LOSS DELAY_S JITTER_S DUPLICATES SEED FAR_PORTS NEAR_PORTS`, ports as METATRAFFIC,USER. What a participant says of
where it can be reached (locators, DDSI-RTPS 2.5, section 9.3.2) is rewritten on the way to ports of the relay, so that all
that follows comes here, too. Packets are lost, delayed, overtaken and doubled. Prints its own ports, then each line of its
log: when (monotonic, s) a packet was handed to the near side's user port.
"""

import heapq
import random
import selectors
import socket
import struct
import sys
import time

HOST = '127.0.0.1'
# Kind UDPv4 and a port, little-endian, then 12 zeros and the address.
KIND_UDPV4 = 1
LOCATOR = struct.Struct('<iI12x4s')


def rewritten(packet, ports):
    """Return the packet with each locator of these ports replaced."""
    packet = bytearray(packet)
    for old, new in ports.items():
        head = struct.pack('<iI12x', KIND_UDPV4, old)
        at = packet.find(head)
        while at >= 0:
            if at + LOCATOR.size <= len(packet):
                LOCATOR.pack_into(packet, at, KIND_UDPV4, new, socket.inet_aton(HOST))
            at = packet.find(head, at + LOCATOR.size)
    return bytes(packet)


class Relay:
    """Four sockets: two that stand for the near side's ports, two for the far side's."""

    def __init__(self, loss, delay_s, jitter_s, duplicates, seed, far, near):
        """Open them."""
        self.loss, self.delay_s, self.jitter_s, self.duplicates = loss, delay_s, jitter_s, duplicates
        self.random, self.waiting, self.count = random.Random(seed), [], 0
        self.near_user = near[1]
        self.stand_ins = {port: self._open() for port in (*near, *far)}
        own = {port: opened.getsockname()[1] for port, opened in self.stand_ins.items()}
        self.near = [own[port] for port in near]
        # Who hears the near side's words must answer to the ports that stand for it, and the other way round.
        self.rules = {port: {other: own[other] for other in (far if port in near else near)} for port in self.stand_ins}

    @staticmethod
    def _open():
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        opened.bind((HOST, 0))
        return opened

    def take(self, port, packet):
        """Decide what becomes of a packet for a port."""
        if self.random.random() < self.loss:
            return
        for _ in range(2 if self.random.random() < self.duplicates else 1):
            at = time.monotonic() + self.delay_s + self.random.uniform(-self.jitter_s, self.jitter_s)
            self.count += 1
            heapq.heappush(self.waiting, (at, self.count, port, packet))

    def send_due(self):
        """Send what is due, and return how long the next has to wait."""
        while self.waiting and self.waiting[0][0] <= time.monotonic():
            _, _, port, packet = heapq.heappop(self.waiting)
            self.stand_ins[port].sendto(rewritten(packet, self.rules[port]), (HOST, port))
            if port == self.near_user:
                print(time.monotonic(), flush=True)
        return max(0.0, self.waiting[0][0] - time.monotonic()) if self.waiting else None

    def run(self):
        """Relay for ever."""
        with selectors.DefaultSelector() as selector:
            for port, opened in self.stand_ins.items():
                selector.register(opened, selectors.EVENT_READ, port)
            while True:
                for key, _ in selector.select(self.send_due()):
                    self.take(key.data, key.fileobj.recv(1 << 16))


def main(loss, delay_s, jitter_s, duplicates, seed, far, near):
    """Relay."""
    ports = [[int(port) for port in pair.split(',')] for pair in (far, near)]
    relay = Relay(float(loss), float(delay_s), float(jitter_s), float(duplicates), int(seed), *ports)
    print(*relay.near, flush=True)
    relay.run()


if __name__ == '__main__':
    main(*sys.argv[1:])
