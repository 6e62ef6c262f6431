"""A client of the page's server: a WebSocket spoken by hand, so that it can also be spoken badly."""

import base64
import json
import os
import socket
import struct
import threading
import time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
TIMEOUT_S = 10.0


def free_port():
    """Return a port that nobody has."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def connected(port, receive_buffer=None):
    """Return a socket to the server, when it listens."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        stream = socket.socket()
        stream.settimeout(TIMEOUT_S)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if receive_buffer:
            # Before connecting: a window that shrinks later has acknowledgements dropped, too.
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        try:
            stream.connect(('127.0.0.1', port))
            return stream
        except ConnectionRefusedError:
            stream.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def head(port, path='/ws', host=None, origin='own', token=None, **more):
    """Return the head of a request for a WebSocket."""
    host = host if host is not None else f'localhost:{port}'
    protocols = ['hexapod.v1', *([f'token.{token}'] if token else [])]
    lines = {'Host': host, 'Upgrade': 'websocket', 'Connection': 'Upgrade', 'Sec-WebSocket-Version': '13',
             'Sec-WebSocket-Key': base64.b64encode(os.urandom(16)).decode(), 'Sec-WebSocket-Protocol': ', '.join(protocols),
             **({'Origin': f'http://{host}' if origin == 'own' else origin} if origin is not None else {}), **more}
    return f'GET {path} HTTP/1.1\r\n' + ''.join(f'{name}: {value}\r\n' for name, value in lines.items()) + '\r\n'


def request(port, text):
    """Send the head of a request and return status, headers and the beginning of the body."""
    with connected(port) as stream:
        stream.sendall(text.encode() if isinstance(text, str) else text)
        received = b''
        while b'\r\n\r\n' not in received and (part := stream.recv(65536)):
            received += part
        lines, _, body = received.partition(b'\r\n\r\n')
        status, *headers = lines.decode(errors='replace').split('\r\n')
        headers = dict(line.lower().split(': ', 1) for line in headers)
        while len(body) < int(headers.get('content-length', 0)) and (part := stream.recv(65536)):
            body += part
        return int(status.split()[1]), headers, body


def get(port, path, host=None, **headers):
    """Return status, headers and body of a file."""
    lines = ''.join(f'{name}: {value}\r\n' for name, value in {'Host': host or f'localhost:{port}', **headers}.items())
    return request(port, f'GET {path} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n')


def frame(kind, payload, final=True):
    """Return a masked frame."""
    mask, size = os.urandom(4), len(payload)
    length = bytes([0x80 | size]) if size < 126 else struct.pack('>BH', 0x80 | 126, size) if size < 65536 else \
        struct.pack('>BQ', 0x80 | 127, size)
    return bytes([(0x80 if final else 0) | kind]) + length + mask + bytes(c ^ mask[i % 4] for i, c in enumerate(payload))


class Client:
    """A client whose messages are read by a thread, each with the time it came."""

    def __init__(self, port, name='test', hello=True, reads=True, **how):
        """Connect; without `reads` nothing that comes is taken."""
        self.messages, self.code, self.closed_at, self.seen, self._send = [], None, None, 0, threading.Lock()
        self.answers_pings = True
        self.ids = iter(range(1, 1_000_000))
        self.stream = connected(port, None if reads else 4096)
        self.stream.sendall(head(port, **how).encode())
        received = b''
        while b'\r\n\r\n' not in received:
            part = self.stream.recv(1)
            assert part, f'refused: {received}'
            received += part
        assert b' 101 ' in received.split(b'\r\n')[0], received
        self.stream.settimeout(None)
        self.alive = True
        if reads:
            threading.Thread(target=self._read, daemon=True).start()
            threading.Thread(target=self._ping, daemon=True).start()
        if hello:
            self.send(type='hello', version=1, name=name)
        if hello and reads:
            self.id = self.wait('welcome')['id']
            self.wait('state')

    def _exactly(self, count):
        data = b''
        while len(data) < count:
            part = self.stream.recv(count - len(data))
            if not part:
                raise ConnectionError
            data += part
        return data

    def _read(self):
        try:
            while True:
                first, length = self._exactly(2)
                length &= 0x7f
                if length >= 126:
                    length = struct.unpack('>H', self._exactly(2))[0] if length == 126 else struct.unpack('>Q', self._exactly(8))[0]
                payload, now = self._exactly(length), time.monotonic()
                if first & 0xf == CLOSE:
                    self.code = struct.unpack('>H', payload[:2])[0] if payload else 1005
                    break
                if first & 0xf == PING and self.answers_pings:
                    self.raw(frame(PONG, payload))
                if first & 0xf == TEXT:
                    message = json.loads(payload)
                    self.seen = message['n'] if message['type'] == 'state' else self.seen
                    self.messages.append((now, message))
        except (ConnectionError, OSError):
            pass
        self.closed_at, self.alive = time.monotonic(), False

    def _ping(self):
        while self.alive:
            time.sleep(0.7)
            try:
                self.send(type='ping', id=0)
            except OSError:
                return

    def raw(self, data):
        """Send bytes as they are."""
        with self._send:
            self.stream.sendall(data)

    def send(self, **message):
        """Send a message."""
        self.raw(frame(TEXT, json.dumps(message).encode()))

    def drive(self, vx=0.0, vy=0.0, wz=0.0):
        """Ask for a twist."""
        self.send(type='drive', seen=self.seen, vx=vx, vy=vy, wz=wz)

    def of(self, kind):
        """Return the messages of a type, with the times they came."""
        return [(at, message) for at, message in list(self.messages) if message['type'] == kind]

    def newest(self, kind):
        """Return the newest message of a type, or nothing."""
        found = self.of(kind)
        return found[-1][1] if found else None

    def wait(self, kind, condition=lambda message: True, seconds=TIMEOUT_S):
        """Return the newest message of a type when it fits."""
        deadline = time.monotonic() + seconds
        while not ((message := self.newest(kind)) and condition(message)):
            assert time.monotonic() < deadline and self.alive, (kind, message, self.code, self.messages[-3:])
            time.sleep(0.005)
        return message

    def ask(self, **message):
        """Send what has an answer, and return that."""
        number = next(self.ids)
        self.send(id=number, **message)
        deadline = time.monotonic() + TIMEOUT_S
        while not (found := [m for _, m in self.of('answer') if m['id'] == number]):
            assert time.monotonic() < deadline and self.alive, (message, self.code)
            time.sleep(0.005)
        return found[0]

    def take(self, want='take'):
        """Take the lease and release the stick."""
        answer = self.ask(type='lease', want=want)
        assert answer['ok'], answer
        self.drive()
        time.sleep(0.05)

    def wait_closed(self, seconds=TIMEOUT_S):
        """Return the code with which the server ended the connection."""
        deadline = time.monotonic() + seconds
        while self.alive:
            assert time.monotonic() < deadline, 'still connected'
            time.sleep(0.01)
        return self.code

    def cut(self):
        """Break the connection without a word."""
        self.stream.shutdown(socket.SHUT_RDWR)
        self.stream.close()
