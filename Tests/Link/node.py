"""One machine's judge: a Link peer, and an OSC client of the daemon there. A JSON line in, a JSON line out.

Instants are nanoseconds of CLOCK_MONOTONIC; the peer's own clock is CLOCK_MONOTONIC_RAW in microseconds.
"""
import json
import os
import select
import socket
import sys
import time

import link

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Browser"))
import osc  # noqa: E402

peer = daemon = None
kept = []


def raw(monotonic):
    """The peer's microseconds of an instant of CLOCK_MONOTONIC, by the two clocks as they are now."""
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    now = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return round((monotonic + now - (before + after) / 2) / 1000)


def state():
    return peer.captureSessionState()


def join(tempo):
    global peer
    peer = link.Link(tempo)
    peer.enabled = True


def leave():
    global peer
    peer.enabled = False
    peer = None


def share(on):
    peer.startStopSyncEnabled = bool(on)


def view(quantum=4.0):
    if peer is None:
        return None
    session, now = state(), peer.clock().micros()
    return {"tempo": session.tempo(), "peers": peer.numPeers(), "playing": session.isPlaying(),
            "beat": session.beatAtTime(now, quantum), "phase": session.phaseAtTime(now, quantum)}


def tempo(value):
    session = state()
    session.setTempo(value, peer.clock().micros())
    peer.commitSessionState(session)


def force(by):
    """Moves the session's beat by so many quarters."""
    session, now = state(), peer.clock().micros()
    session.forceBeatAtTime(session.beatAtTime(now, 4.0) + by, now, 4.0)
    peer.commitSessionState(session)


def play(on):
    session = state()
    session.setIsPlaying(bool(on), peer.clock().micros())
    peer.commitSessionState(session)


def errors(beats, quantum=4.0):
    """Microseconds by which each (instant, phase) is late against the session's own beat."""
    session, found = state(), []
    length = 60e6 / session.tempo()
    for instant, wanted in beats:
        off = session.phaseAtTime(raw(instant), quantum) - wanted
        off -= round(off / quantum) * quantum
        found.append(off * length)
    return found


def subscribe(port=9700):
    global daemon
    daemon = osc.Daemon(port)
    daemon.send("/tactus/subscribe", 0, "beat")


def hear():
    """Everything that has come since the last time."""
    heard, kept[:] = list(kept), []
    while select.select([daemon.socket], [], [], 0)[0]:
        try:
            heard += osc.messages(daemon.socket.recv(65536))
        except OSError:
            break
    return heard


def send(address, arguments=()):
    daemon.send(address, *arguments)


def ask(address, arguments=()):
    answers = daemon.ask(address, *arguments)
    kept.extend(answers)
    return answers


def datagrams(count, port=20808):
    """Garbage on Link's port, to the group and to each address that answers there."""
    import random
    chance = random.Random(14)
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    kinds = [b"_asdp_v\x01", b"_asdp_v\x01\x01", b"_asdp_v\x01\x02", b"_link_v\x01\x01", b"_link_v\x01\x02", b""]
    for _ in range(count):
        body = chance.choice(kinds) + chance.randbytes(chance.choice([0, 1, 3, 8, 20, 60, 200, 511, 1400]))
        out.sendto(body, ("224.76.78.75", port))
    return count


def main():
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = globals()[request.pop("do")](**request)
        except Exception as problem:  # the driver decides what it means
            answer = {"error": f"{type(problem).__name__}: {problem}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
