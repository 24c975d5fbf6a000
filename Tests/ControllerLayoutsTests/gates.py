#!/usr/bin/env python3
"""Measures when the gate messages of tactusd arrive against the announced instants.

Usage: gates.py OSC_PORT GATE_PORT SECONDS   (tactusd on this machine, with
       --beat-target 127.0.0.1:GATE_PORT,gate,/beat)

The kernel stamps the arrival, so that a busy machine does not blame the sender for the listener.
Both instants are CLOCK_MONOTONIC of this machine; positive is late.
"""
import socket
import struct
import sys
import threading
import time

osc_port, gate_port, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])


def text(word):
    raw = word.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 4)


def messages(packet):
    if not packet.startswith(b"#bundle\0"):
        yield packet
        return
    place = 16
    while place < len(packet):
        size = struct.unpack_from(">i", packet, place)[0]
        yield from messages(packet[place + 4:place + 4 + size])
        place += 4 + size


due, arrived = [], []


def listen_to_gates():
    gate = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    gate.bind(("127.0.0.1", gate_port))
    # SO_TIMESTAMPNS: a timespec of CLOCK_REALTIME with each packet.
    gate.setsockopt(socket.SOL_SOCKET, 35, 1)
    while True:
        packet, extra, _, _ = gate.recvmsg(2048, 64)
        whole, nanoseconds = struct.unpack("qq", extra[0][2][:16])
        behind = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.monotonic_ns()
        now = whole * 1_000_000_000 + nanoseconds - behind
        if struct.unpack(">f", packet[-4:])[0] == 1.0:
            arrived.append(now)


threading.Thread(target=listen_to_gates, daemon=True).start()
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(0.5)
client.connect(("127.0.0.1", osc_port))
client.send(text("/tactus/subscribe") + text(",s") + text("beat"))
end = time.monotonic() + seconds
asked = time.monotonic()
while time.monotonic() < end:
    if time.monotonic() - asked > 20:
        client.send(text("/tactus/ping") + text(","))
        asked = time.monotonic()
    try:
        packet = client.recv(65536)
    except socket.timeout:
        continue
    for message in messages(packet):
        if message.startswith(b"/tactus/beat\0"):
            due.append(struct.unpack(">q", message[-8:])[0])
time.sleep(0.3)
late = sorted(min((at - instant for at in arrived), key=abs) / 1e6 for instant in due[:-2])
gone = sum(1 for value in late if abs(value) > 100)
late = [value for value in late if abs(value) <= 100]


def share(part):
    return late[min(len(late) - 1, int(part * len(late)))]


print(f"{len(late)} beats, {gone} without a gate: least {late[0]:.3f} ms, p50 {share(0.5):.3f} ms, "
      f"p99 {share(0.99):.3f} ms, most {late[-1]:.3f} ms")
