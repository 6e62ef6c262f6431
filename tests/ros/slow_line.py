"""A line between a client and a server on which each byte is as late as the line is when it is sent, and none overtakes another."""

from collections import deque
import socket
import threading
import time

from web import connected


class SlowLine:
    """Listens on a port of its own for one client at a time."""

    def __init__(self, port):
        """Lead to this port."""
        self.late_s, self._to = 0.0, port
        self._listener = socket.create_server(('127.0.0.1', 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        """Take nobody more."""
        self._listener.close()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = connected(self._to)
            far.settimeout(None)
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for source, sink in ((near, far), (far, near)):
                waiting = deque()
                threading.Thread(target=self._take, args=(source, waiting), daemon=True).start()
                threading.Thread(target=self._pass_on, args=(waiting, sink), daemon=True).start()

    def _take(self, source, waiting):
        data = True
        while data:
            try:
                data = source.recv(65536)
            except OSError:
                data = b''
            waiting.append((time.monotonic() + self.late_s, data))

    @staticmethod
    def _pass_on(waiting, sink):
        data = True
        while data:
            due, data = waiting.popleft() if waiting else (time.monotonic() + 0.002, None)
            time.sleep(max(0.0, due - time.monotonic()))
            try:
                if data:
                    sink.sendall(data)
                elif data == b'':
                    sink.shutdown(socket.SHUT_WR)
            except OSError:
                return
            data = data is None or data
