#!/usr/bin/env python3
"""random.py PORT PID SEEDS SECONDS: the sending side of osc-random."""
import os
import random
import socket
import struct
import sys
import time

port, pid, folder, seconds = int(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])
draw = random.Random(1)
seeds = [open(os.path.join(folder, name), "rb").read()[1:] for name in sorted(os.listdir(folder))]
there = ("127.0.0.1", port)


def text(word):
    raw = word.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 4)


def changed():
    packet = bytearray(draw.choice(seeds))
    for _ in range(draw.randrange(4)):
        kind = draw.randrange(6)
        place = draw.randrange(len(packet) + 1)
        if kind == 0 and packet:
            packet[place % len(packet)] = draw.randrange(256)
        elif kind == 1:
            del packet[place:place + draw.choice([1, 4, 16])]
        elif kind == 2:
            packet[place:place] = bytes(draw.randrange(256) for _ in range(draw.choice([1, 4, 8])))
        elif kind == 3:
            packet += draw.choice(seeds)
        elif kind == 4:
            packet[place:place + 4] = draw.choice([b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff"])
        elif kind == 5:
            packet = packet * draw.choice([2, 50])
    packet = bytes(packet[:60_000])
    return b"" if b"/tactus/quit" in packet or b"preset/save" in packet else packet


def resident():
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def drain(one):
    try:
        # Nothing is what a stream that the daemon has closed gives for ever.
        while one.recv(65536, socket.MSG_DONTWAIT):
            pass
    except OSError:
        pass


def ask(one, packet, wanted):
    drain(one)
    one.send(packet)
    end = time.monotonic() + 2
    while time.monotonic() < end:
        try:
            answer = one.recv(65536)
        except OSError:
            continue
        if wanted in answer:
            return answer
    return None


def stream():
    one = socket.create_connection(there)
    one.setblocking(False)
    return one


senders = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(8)]
for one in senders:
    one.setblocking(False)
musician = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
musician.settimeout(0.2)
musician.connect(there)
streams = [stream(), stream()]
start = asked = time.monotonic()
worst = 0
sent = lost = pings = reconnected = 0
before, most = resident(), 0
while time.monotonic() - start < seconds:
    for _ in range(20):
        packet = changed()
        try:
            if sent % 10 == 0:
                index = draw.randrange(2)
                # Half of them framed as they should be, by size or by SLIP.
                framed = [packet, struct.pack(">i", len(packet)) + packet,
                          b"\xc0" + packet + b"\xc0"][draw.randrange(3)]
                streams[index].send(framed)
            else:
                draw.choice(senders).sendto(packet, there)
        except BlockingIOError:
            drain(streams[index])
        except OSError:
            streams[index].close()
            streams[index] = stream()
            reconnected += 1
        sent += 1
    for one in senders:
        drain(one)
    if time.monotonic() - asked > 1:
        asked = time.monotonic()
        pings += 1
        # Whatever rubbish may have locked it: this machine may unlock.
        musician.send(text("/tactus/unlock") + text(","))
        before_ping = time.monotonic()
        # A datagram may find the daemon's socket full; a daemon that hangs misses all three.
        ping = text("/tactus/ping") + text(",i") + struct.pack(">i", pings)
        if all(ask(musician, ping, b"pong") is None for _ in range(3)):
            lost += 1
        worst = max(worst, time.monotonic() - before_ping)
        most = max(most, resident())
        for one in streams:
            drain(one)
    time.sleep(0.005)
musician.send(text("/tactus/start") + text(","))
time.sleep(0.5)
musician.send(text("/tactus/stop") + text(","))
time.sleep(0.5)
state = ask(musician, text("/tactus/transport") + text(","), b"/tactus/transport") or b""
statistics = ask(musician, text("/tactus/stats") + text(","), b"/tactus/stats") or b""


def figure(name):
    address = text(f"/tactus/stats/{name}")
    place = statistics.find(address)
    return struct.unpack(">q", statistics[place + len(address) + 4:][:8])[0] if place >= 0 else -1


print(f"random sent={sent} per_second={sent / (time.monotonic() - start):.0f} "
      f"packets={figure('osc/packets')} malformed={figure('osc/malformed')} "
      f"refused={figure('osc/refused')} reconnected={reconnected} pings={pings} lost={lost} "
      f"worst_ping_ms={worst * 1000:.0f} "
      f"rss_before_kb={before} rss_most_kb={most} rss_after_kb={resident()} "
      f"xruns={figure('xruns')} stopped={'yes' if b'stopped' in state else 'no'}")
sys.exit(0 if b"stopped" in state and lost == 0 else 1)
