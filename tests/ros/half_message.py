"""A message of which a part arrives, and then word that it is not coming: what a reader has of it must go.

So it is when a message needs several datagrams, the network loses some of them, and the sender's history has gone on by
the time they are asked for again: DATA_FRAG, then GAP (DDSI-RTPS 2.5, 8.3.8.3 and 8.3.8.4). Here both are sent by hand, in
the name of a publisher of the user's.
"""

import socket
import struct
import time

LITTLE_ENDIAN = 0x01
DATA_FRAG, GAP = 0x16, 0x08
ANY_READER = bytes(4)
FRAGMENT_BYTES, MESSAGE_BYTES = 1000, 5000


def sequence_number(number):
    """Return a SequenceNumber_t."""
    return struct.pack('<iI', 0, number)


def submessage(kind, body):
    """Return a submessage with its header."""
    return struct.pack('<BBH', kind, LITTLE_ENDIAN, len(body)) + body


def first_fragment(writer, number):
    """Return the first part of a message."""
    inline_qos_at = 28
    head = struct.pack('<HH', 0, inline_qos_at) + ANY_READER + writer + sequence_number(number)
    counts = struct.pack('<IHHI', 1, 1, FRAGMENT_BYTES, MESSAGE_BYTES)
    return submessage(DATA_FRAG, head + counts + bytes([0, 1, 0, 0]) + bytes(FRAGMENT_BYTES - 4))


def gap(writer, number):
    """Return word that a message is not coming."""
    numbers = sequence_number(number) + sequence_number(number + 1) + struct.pack('<I', 0)
    return submessage(GAP, ANY_READER + writer + numbers)


def send(user, process, topic, message):
    """Send a message, half of the next one, word that the rest is not coming, and some messages more."""
    publisher = user.publisher(topic)
    publisher.publish(message)
    user.spin(0.2)
    (info,) = [each for each in user.node.get_publishers_info_by_topic(topic) if each.node_name == user.node.get_name()]
    guid = bytes(info.endpoint_gid)[:16]
    header = b'RTPS' + bytes([2, 3, 1, 15]) + guid[:12]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for part in (first_fragment(guid[12:], 2), gap(guid[12:], 2)):
            for port in process.udp_ports():
                sender.sendto(header + part, ('127.0.0.1', port))
            time.sleep(0.05)
    # The one that was not coming, by its number; from the next one on there is something to take.
    for _ in range(3):
        publisher.publish(message)
        user.spin(0.05)
