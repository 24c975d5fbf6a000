"""OSC and WebSocket, as much as the tests speak themselves."""
import base64
import os
import socket
import struct
import time


def message(address, *arguments):
    def text(value):
        data = value.encode() + b"\0"
        return data + b"\0" * (-len(data) % 4)

    tags, data = ",", b""
    for value in arguments:
        if isinstance(value, str):
            tags, data = tags + "s", data + text(value)
        elif isinstance(value, float):
            tags, data = tags + "f", data + struct.pack(">f", value)
        else:
            tags, data = tags + "i", data + struct.pack(">i", value)
    return text(address) + text(tags) + data


def messages(packet):
    """Every message of a packet: address and arguments."""
    if packet[:8] == b"#bundle\0":
        found, at = [], 16
        while at + 4 <= len(packet):
            size = struct.unpack_from(">i", packet, at)[0]
            found += messages(packet[at + 4:at + 4 + size])
            at += 4 + size
        return found
    at = 0

    def text():
        nonlocal at
        end = packet.index(b"\0", at)
        value = packet[at:end].decode(errors="replace")
        at = end + 4 - end % 4
        return value

    address, tags, values = text(), text()[1:], []
    for tag in tags:
        if tag in "sS":
            values.append(text())
        elif tag in "if":
            values.append(struct.unpack_from(">" + tag, packet, at)[0])
            at += 4
        elif tag in "hdt":
            values.append(struct.unpack_from(">" + {"h": "q", "d": "d", "t": "Q"}[tag], packet, at)[0])
            at += 8
        else:
            values.append({"T": 1, "F": 0}.get(tag))
    return [(address, values)]


class Daemon:
    """An OSC client of this machine: the judge of what the page does."""

    def __init__(self, port):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(("127.0.0.1", port))
        self.state, self.heard, self.token = {}, [], 0

    def send(self, address, *arguments):
        self.socket.send(message(address, *arguments))

    def ask(self, address="/tactus/state", *arguments):
        """Everything that comes up to the answer to a ping."""
        self.token += 1
        self.send(address, *arguments)
        self.send("/tactus/ping", self.token)
        return self.listen(lambda name, values: name == "/tactus/pong" and values == [self.token], 5)

    def listen(self, until, seconds):
        deadline, seen = time.monotonic() + seconds, []
        while (left := deadline - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                packet = self.socket.recv(65536)
            except OSError:
                break
            for name, values in messages(packet):
                seen.append((name, values))
                self.state[name] = values
                if until(name, values):
                    return seen
        return seen

    def value(self, path, index=0):
        self.ask()
        return self.state.get(f"/tactus/{path}", [None])[index]

    def wait(self, path, wanted, seconds=3):
        """Whether a value becomes what is wanted; wanted may be a test of it."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = self.value(path)
            if wanted(value) if callable(wanted) else value == wanted:
                return True
            time.sleep(0.05)
        return False


class WebSocket:
    """A client that reads only when it is told to."""

    def __init__(self, address, port, host=None, origin=None):
        self.socket = socket.create_connection((address, port), timeout=5)
        lines = [f"GET / HTTP/1.1", f"Host: {host or f'{address}:{port}'}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
        if origin:
            lines.append(f"Origin: {origin}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.rest, answer = b"", b""
        while b"\r\n\r\n" not in answer:
            piece = self.socket.recv(4096)
            if not piece:
                break
            answer += piece
        head, _, self.rest = answer.partition(b"\r\n\r\n")
        self.status = int(head.split(b" ")[1]) if head else 0

    def send(self, payload, kind=2):
        size, mask = len(payload), os.urandom(4)
        head = bytes([0x80 | kind])
        head += bytes([0x80 | size]) if size < 126 else bytes([0xFE]) + struct.pack(">H", size) if size < 65536 \
            else bytes([0xFF]) + struct.pack(">Q", size)
        body = (int.from_bytes(payload, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")).to_bytes(size, "big")
        self.socket.sendall(head + mask + body)

    def _exactly(self, count):
        while len(self.rest) < count:
            piece = self.socket.recv(65536)
            if not piece:
                raise ConnectionError("closed")
            self.rest += piece
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def receive(self):
        """The next message's payload; ConnectionError where the server closes."""
        while True:
            kind, size = self._exactly(2)
            size &= 0x7F
            if size == 126:
                size = struct.unpack(">H", self._exactly(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self._exactly(8))[0]
            payload = self._exactly(size)
            if kind & 15 == 8:
                raise ConnectionError("closed")
            if kind & 15 in (1, 2):
                return payload

    def until(self, address, seconds=3):
        self.socket.settimeout(seconds)
        while True:
            for name, values in messages(self.receive()):
                if name == address:
                    return values

    def close(self):
        self.socket.close()
