"""tactusd in sessions of Ableton Link: who leads, who follows, and what a broken network does.

The judge is another implementation's build of a peer (linkpython-extern), which reads its own line of the session.
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from room import Room

BIN = ".build/release"
passed = failed = 0


def check(name, is_right, figure=""):
    global passed, failed
    passed, failed = passed + bool(is_right), failed + (not is_right)
    print(f"{'ok  ' if is_right else 'FAIL'} {name}{f': {figure}' if figure != '' else ''}", flush=True)


def until(test, seconds=5.0):
    """Whether something becomes true, and after how many seconds."""
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        if test():
            return time.monotonic() - begun
        time.sleep(0.01)
    return None


class Daemon:
    def __init__(self, machine, *arguments):
        self.log = tempfile.NamedTemporaryFile("w+", prefix="tactusd", suffix=".log")
        home = tempfile.mkdtemp(prefix="tactus")
        environment = {**os.environ, "XDG_CONFIG_HOME": home, "HOME": home}
        self.process = machine.start(
            f"{BIN}/tactusd", "--device", "none", "--no-midi", "--no-discovery", "--no-lock", *arguments,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment)
        self.node = machine.node()
        until(lambda: "OSC on port" in self.text(), 10)
        self.node("subscribe")
        self.node("ask", address="/tactus/ping")
        self.hear()

    def text(self):
        with open(self.log.name) as file:
            return file.read()

    def hear(self):
        return self.node("hear")

    def beats(self, seconds):
        """(instant, place in the bar, bar, tempo) of the beats announced meanwhile, without those that were voided."""
        self.hear()
        time.sleep(seconds)
        return self.announced()

    def announced(self):
        found, void = {}, []
        for address, values in self.hear():
            if address == "/tactus/beat":
                found[values[1]] = (values[8], values[3] - 1, values[2], values[4])
            elif address == "/tactus/beat/cancel":
                void.append((values[1], values[2]))
        return [beat for number, beat in sorted(found.items()) if not any(a <= number <= b for a, b in void)]

    def value(self, path):
        for address, values in self.node("ask", address=f"/tactus/{path}"):
            if address == f"/tactus/{path}":
                return values
        return []

    def refusal(self, path, *arguments):
        for address, values in self.node("ask", address=f"/tactus/{path}", arguments=arguments):
            if address == "/tactus/error":
                return values[2]
        return ""

    def send(self, path, *arguments):
        self.node("send", address=f"/tactus/{path}", arguments=arguments)

    def child(self):
        """The process id of its tactus-link; 0 where there is none."""
        inner = self.tactusd()
        found = subprocess.run(["pgrep", "-P", str(inner), "-x", "tactus-link"], capture_output=True, text=True).stdout.split()
        return int(found[0]) if found else 0

    def tactusd(self):
        # `ip netns exec` becomes the program.
        return self.process.pid

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)


def intervals(beats):
    return [(b[0] - a[0]) / 1e3 for a, b in zip(beats, beats[1:])]


def off(judge, beats, quantum=4.0):
    return judge("errors", beats=[[beat[0], beat[1]] for beat in beats], quantum=quantum)


def worst(values):
    return max((abs(value) for value in values), default=float("inf"))


# MARK: rows

def lead(room):
    one, two = room.machine(), room.machine()
    judge = two.node()
    judge("join", tempo=97.0)
    time.sleep(2.5)
    daemon = Daemon(one, "4/4", "132.5", "--link", "lead")
    took = until(lambda: abs(judge("view")["tempo"] - 132.5) < 0.001, 6)
    check("who leads brings the tempo into a session that was there", took is not None, f"after {took} s")
    time.sleep(1)
    beats = daemon.beats(4)
    errors = off(judge, beats)
    check("the judge's beats are ours within 0.1 ms", len(beats) > 6 and worst(errors) < 100, f"{worst(errors):.0f} us")
    grid = [abs(one - 60e6 / 132.5) for one in intervals(beats)]
    check("our own grid is 132.5 to the frame", max(grid) < 22, f"{max(grid):.1f} us")
    judge("tempo", value=140.0)
    back = until(lambda: abs(judge("view")["tempo"] - 132.5) < 0.001, 3)
    check("somebody's 140 is put back within a beat", back is not None and back < 0.6, f"{back} s")
    check("and reported once", until(lambda: "somebody set 140, 132.5 was put back" in daemon.text(), 2) is not None)
    judge("force", by=1.37)
    time.sleep(1.2)
    errors = off(judge, daemon.beats(2))
    check("a beat that somebody moved is put back", worst(errors) < 100, f"{worst(errors):.0f} us")
    kept = 0
    for value in [90.0, 200.0, 60.0, 133.0, 180.0]:
        judge("tempo", value=value)
        back = until(lambda: abs(judge("view")["tempo"] - 132.5) < 0.001, 1)
        kept += back is not None
        time.sleep(max(0, 1 - (back or 0)))
    check("a peer that sends a tempo each second hears ours within a beat", kept == 5, kept)
    daemon.send("tempo", 120.0)
    took = until(lambda: abs(judge("view")["tempo"] - 120) < 0.001, 3)
    check("our own change of tempo is the session's", took is not None, f"after {took} s")
    daemon.send("tempo", 9.5)
    took = until(lambda: abs(judge("view")["tempo"] - 38) < 0.01, 10)
    check("9.5 is shown as 38", took is not None, judge("view")["tempo"])
    check("1 is refused", "5 to 999" in daemon.refusal("tempo", 1.0))
    daemon.end()


def follow(room):
    one, two = room.machine(), room.machine()
    judge = two.node()
    judge("join", tempo=101.0)
    time.sleep(2.5)
    daemon = Daemon(one, "--link", "follow")
    check("the session's tempo is ours", until(lambda: daemon.value("tempo")[:1] == [101.0], 5) is not None, daemon.value("tempo"))
    check("and stayed what it was", abs(judge("view")["tempo"] - 101) < 0.001)
    time.sleep(0.3)
    daemon.send("start", 1)
    beats = daemon.beats(6)
    errors = off(judge, beats)
    check("Start waits for the session's bar", len(beats) > 4 and worst(errors[:1]) < 100, f"{errors[:1]}")
    check("our beats are the judge's within 0.1 ms", worst(errors) < 100, f"{worst(errors):.0f} us")
    even = intervals(beats)
    check("our intervals are alike within 0.05 ms", max(even) - min(even) < 50, f"{max(even) - min(even):.1f} us")
    judge("tempo", value=132.5)
    took = until(lambda: daemon.value("tempo")[:1] == [132.5], 3)
    check("a change is followed, and shown as it was asked for", took is not None, daemon.value("tempo"))
    time.sleep(4)
    beats = daemon.beats(5)
    errors, even = off(judge, beats), intervals(beats)
    check("after the change the beats agree within 0.1 ms", worst(errors) < 100, f"{worst(errors):.0f} us")
    check("and are N microseconds apart", max(abs(one - 452_830) for one in even) < 50, f"{min(even):.1f} to {max(even):.1f}")
    check("and the session was not touched", abs(judge("view")["tempo"] - 132.5) < 0.001)
    for path, arguments in [("tempo", [99.0]), ("ramp", [80.0, 120.0, 60.0]), ("tempo/nudge", [1.0])]:
        check(f"{path} is refused with the way out", "link to peer" in daemon.refusal(path, *arguments))
    daemon.hear()
    time.sleep(2.5)
    judge("force", by=1.5)
    time.sleep(7)
    beats = daemon.announced()
    gaps = [(beat[1], gap / 452_830) for beat, gap in zip(beats[1:], intervals(beats)) if abs(gap - 452_830) > 1000]
    check("a session that jumps is joined at one bar line", len(gaps) == 1 and gaps[0][0] == 0, gaps)
    bars = [beat[2] for beat in beats if beat[1] == 0]
    check("and the bars are counted on", bars == list(range(bars[0], bars[0] + len(bars))) if bars else False, bars)
    errors = off(judge, beats[-3:])
    check("and then the beats agree within 0.1 ms", worst(errors) < 100, f"{worst(errors):.0f} us")
    daemon.send("stop", 1)
    daemon.send("countin", 1)
    time.sleep(0.7)
    daemon.send("start", 1)
    beats = daemon.beats(7)
    errors = off(judge, beats)
    check("a count-in counts back from the session's bar", beats and beats[0][2] == -1 and worst(errors) < 100,
          f"{beats[0][2] if beats else None}, {worst(errors):.0f} us")
    peers = daemon.value("link/status")
    check("peers, tempo and offset are told", peers[:1] == [1] and abs(peers[1] - 132.5) < 0.01 and abs(peers[2]) < 0.1, peers)
    daemon.end()


def peer(room):
    one, two = room.machine(), room.machine()
    judge = two.node()
    judge("join", tempo=110.0)
    time.sleep(2.5)
    daemon = Daemon(one, "4/4", "90", "--link", "peer")
    check("who joins takes the session's tempo", until(lambda: daemon.value("tempo")[:1] == [110.0], 5) is not None, daemon.value("tempo"))
    time.sleep(6)
    errors = off(judge, daemon.beats(4))
    check("and its beat", worst(errors) < 100, f"{worst(errors):.0f} us")
    check("and has moved nobody", abs(judge("view")["tempo"] - 110) < 0.001)
    daemon.send("tempo", 132.5)
    took = until(lambda: abs(judge("view")["tempo"] - 132.5) < 0.001, 4)
    check("a tempo of ours is the session's", took is not None, f"after {took} s")
    time.sleep(3)
    errors = off(judge, daemon.beats(4))
    check("and the beats agree within 0.1 ms", worst(errors) < 100, f"{worst(errors):.0f} us")
    shown = daemon.value("tempo")
    check("what is shown is what was asked for", shown[:1] == [132.5], shown)
    daemon.end()


def joins(room):
    one, two, three = room.machine(), room.machine(), room.machine()
    chance = random.Random(20)
    judge = two.node()
    judge("join", tempo=120.0)
    time.sleep(2.5)
    daemon = Daemon(one, "4/4", "140", "--link", "peer")
    until(lambda: daemon.value("tempo")[:1] == [120.0], 5)
    moved = 0
    for number in range(20):
        value = 100.0 + number
        judge("tempo", value=value)
        time.sleep(chance.uniform(0.05, 1.2))
        daemon.send("link", "off")
        daemon.send("tempo", 150.0 + number)
        time.sleep(chance.uniform(0.1, 0.8))
        daemon.send("link", ["peer", "follow"][number % 2])
        time.sleep(chance.uniform(1.0, 2.0))
        found = judge("view")["tempo"]
        if abs(found - value) > 0.01:
            moved += 1
            print(f"# join {number}: {value} became {found}", flush=True)
    check("twenty joins move the session's tempo never", moved == 0, moved)
    time.sleep(8)
    third = three.node()
    daemon.hear()
    third("join", tempo=77.0)
    time.sleep(4)
    beats = daemon.announced()
    even = intervals(beats)
    check("another's joining moves our beats by nothing", len(even) > 4 and max(even) - min(even) < 22, f"{max(even) - min(even):.1f} us")
    daemon.hear()
    third("leave")
    daemon.send("link", "off")
    time.sleep(3)
    even = intervals(daemon.announced())
    check("nor does leaving, theirs or ours", len(even) > 3 and max(even) - min(even) < 22, f"{max(even) - min(even):.1f} us")
    daemon.end()


def broken(room, mode):
    one, two = room.machine(), room.machine()
    judge = two.node()
    judge("join", tempo=120.0)
    time.sleep(2.5)
    daemon = Daemon(one, "4/4", "120", "--link", mode)
    until(lambda: judge("view")["peers"] == 1, 5)
    time.sleep(4)
    daemon.hear()
    two.plug(False)
    until(lambda: judge("view")["peers"] == 0, 8)
    judge("tempo", value=90.0)
    judge("force", by=1.64)
    time.sleep(max(0, 8 - 4))
    # The side whose cable went has the older session now.
    until(lambda: daemon.value("link/status")[:1] == [0], 8)
    two.plug(True)
    took = until(lambda: judge("view")["peers"] == 1 and abs(judge("view")["tempo"] - 120) < 0.01, 15)
    check(f"{mode}: after a break with both changed the tempo is ours", took is not None, f"after {took} s, {judge('view')}")
    time.sleep(2)
    even = intervals(daemon.announced())
    check(f"{mode}: our own beats never moved", len(even) > 10 and max(even) - min(even) < 60, f"{max(even) - min(even):.1f} us")
    errors = off(judge, daemon.beats(4))
    check(f"{mode}: and the beats agree within 0.1 ms", worst(errors) < 100, f"{worst(errors):.0f} us")
    daemon.end()


def killed(room):
    one, two, three = room.machine(), room.machine(), room.machine()
    founder, judge = two.node(), three.node()
    founder("join", tempo=125.0)
    time.sleep(2.5)
    judge("join", tempo=80.0)
    daemon = Daemon(one, "4/4", "90", "--link", "follow")
    until(lambda: daemon.value("tempo")[:1] == [125.0], 5)
    time.sleep(8)
    daemon.hear()
    founder.kill()
    time.sleep(8)
    beats = daemon.announced()
    even = intervals(beats)
    check("the founder killed: our beats go on", len(even) > 12 and max(even) - min(even) < 50, f"{max(even) - min(even):.1f} us")
    errors = off(judge, daemon.beats(3))
    check("and agree with who is left", worst(errors) < 100, f"{worst(errors):.0f} us")
    child = daemon.child()
    daemon.hear()
    os.kill(child, signal.SIGKILL)
    back = until(lambda: daemon.child() not in (0, child), 3)
    check("tactus-link killed: it is back within a second", back is not None and back < 1, f"{back} s")
    time.sleep(3)
    even = intervals(daemon.announced())
    check("and no beat was lost or moved", len(even) > 4 and max(even) - min(even) < 50, f"{max(even) - min(even):.1f} us")
    check("and it is in the session again", until(lambda: daemon.value("link/status")[:1] == [1], 5) is not None)
    check("the session's tempo is what it was", abs(judge("view")["tempo"] - 125) < 0.001)
    daemon.end()


def at_once(room, mode):
    one, two = room.machine(), room.machine()
    judge = two.node()
    daemon = Daemon(one, "4/4", "120", "--link", mode)
    # Both sessions within half a second: which one is older is a matter of chance.
    judge("join", tempo=88.0)
    time.sleep(5)
    wanted = 120 if mode == "lead" else judge("view")["tempo"]
    same = abs(judge("view")["tempo"] - wanted) < 0.01 and abs(daemon.value("tempo")[0] - wanted) < 0.01
    check(f"{mode}: two sessions founded at once become one", same, f"{judge('view')['tempo']} {daemon.value('tempo')}")
    time.sleep(4)
    errors = off(judge, daemon.beats(3))
    check(f"{mode}: with one beat", worst(errors) < 100, f"{worst(errors):.0f} us")
    daemon.end()


def playing(room):
    one, two = room.machine(), room.machine()
    judge = two.node()
    judge("join", tempo=120.0)
    judge("share", on=True)
    time.sleep(2.5)
    daemon = Daemon(one, "--link", "follow", "--link-sync")
    until(lambda: judge("view")["peers"] == 1, 5)
    time.sleep(1)
    daemon.hear()
    judge("play", on=True)
    time.sleep(4)
    beats = daemon.announced()
    errors = off(judge, beats)
    check("another's start is ours, from the first of its bar", beats and beats[0][1] == 0 and worst(errors) < 100, f"{worst(errors):.0f} us")
    judge("play", on=False)
    check("another's stop is ours", until(lambda: daemon.value("transport")[:1] == ["stopped"], 2) is not None)
    daemon.send("start", 1)
    check("our start is theirs", until(lambda: judge("view")["playing"], 5) is not None)
    daemon.send("stop", 1)
    check("our stop is theirs", until(lambda: not judge("view")["playing"], 2) is not None)
    daemon.end()


def garbage(room):
    one, two = room.machine(), room.machine()
    judge = two.node()
    daemon = Daemon(one, "4/4", "120", "--link", "lead")
    judge("join", tempo=100.0)
    until(lambda: abs(judge("view")["tempo"] - 120) < 0.01, 6)
    time.sleep(1)
    daemon.hear()
    for _ in range(10):
        judge("datagrams", count=2000)
        time.sleep(0.2)
    time.sleep(2)
    even = intervals(daemon.announced())
    check("20000 malformed datagrams move no beat", len(even) > 6 and max(even) - min(even) < 22, f"{max(even) - min(even):.1f} us")
    check("tactus-link is there", until(lambda: daemon.child() != 0, 2) is not None)
    fresh = two.node()
    fresh("join", tempo=70.0)
    check("and leads", until(lambda: abs(fresh("view")["tempo"] - 120) < 0.01, 6) is not None, fresh("view"))
    daemon.end()


def missing(room):
    """What is wrong is said, with the way out."""
    one = room.machine()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cp", f"{BIN}/tactusd", folder], check=True)
        alone = f"{folder}/tactusd"
        for arguments, words in [(["--link-quantum", "0"], "0.25 to 64"), (["--link", "boss"], "follow, peer or lead"),
                                 (["--link", "follow", "--follow"], "both give the tempo")]:
            ended = subprocess.run([alone, "--device", "none", *arguments], capture_output=True, text=True)
            check(f"{' '.join(arguments)} is refused", ended.returncode == 2 and words in ended.stderr, ended.stderr.strip())
        process = one.start(alone, "120", "--device", "none", "--no-midi", "--no-discovery", "--no-lock", "--link", "lead",
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = process.stderr.readline()
        check("without tactus-link the mode is refused with the package's name", "ableton-link-dev" in line, line.strip())
        check("and the metronome plays", process.poll() is None)


ROWS = {row.__name__: row for row in [lead, follow, peer, joins, killed, playing, garbage, missing]}
for mode in ["lead", "peer"]:
    ROWS[f"broken-{mode}"] = lambda room, mode=mode: broken(room, mode)
for mode in ["lead", "follow"]:
    ROWS[f"at-once-{mode}"] = lambda room, mode=mode: at_once(room, mode)


def main():
    global BIN
    arguments = sys.argv[1:]
    if arguments[:1] == ["--bin"]:
        BIN, arguments = arguments[1], arguments[2:]
    BIN = os.path.abspath(BIN)
    for name, row in ROWS.items():
        if arguments and name not in arguments:
            continue
        print(f"# {name}", flush=True)
        room = Room()
        try:
            row(room)
        except Exception as problem:
            check(name, False, f"{type(problem).__name__}: {problem}")
        finally:
            room.close()
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


sys.exit(main())
