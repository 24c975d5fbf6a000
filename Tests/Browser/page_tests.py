"""What the page promises, in real browsers; see `run` beside this file."""
import argparse
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import browsers
import osc
from network import HERE, Network

parser = argparse.ArgumentParser()
parser.add_argument("--bin", default=".build/release")
parser.add_argument("--long", action="store_true", help="60 s of beats instead of 12")
parser.add_argument("--pictures", help="folder for pictures of all views")
parser.add_argument("browsers", nargs="*", default=["Chromium", "Firefox"])
options = parser.parse_args()

OSC_PORT, WEB_PORT = 19700, 19780
PAGE = f"http://{HERE}:{WEB_PORT}/"
passed = failed = 0


def check(name, is_right, *seen):
    global passed, failed
    if is_right:
        passed += 1
        print("ok     ", name, *seen, flush=True)
    else:
        failed += 1
        print("not ok ", name, *seen, flush=True)


class Stage:
    """tactusd with its own folders, and what it said."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.environment = dict(os.environ, XDG_CONFIG_HOME=self.folder, XDG_DATA_HOME=self.folder)
        self.log = open(os.path.join(self.folder, "log"), "w+")

    def start(self, *arguments):
        self.process = subprocess.Popen(
            [os.path.join(options.bin, "tactusd"), "--device", "none", "--no-midi", "--osc-port", str(OSC_PORT),
             "--web-port", str(WEB_PORT), *arguments],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.osc = osc.Daemon(OSC_PORT)
        for _ in range(100):
            if "page at" in self.text():
                break
            time.sleep(0.1)
        return self

    def text(self):
        with open(self.log.name) as file:
            return file.read()

    def web(self):
        """The process identifier of tactus-web."""
        children = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(self.process.pid)],
                                  capture_output=True, text=True).stdout
        return int(re.search(r"(\d+) tactus-web", children)[1])

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()


def status(pid, name):
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as file:
            total += int(re.search(rf"^{name}:\s+(\d+)", file.read(), re.M)[1])
    return total


def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"^VmRSS:\s+(\d+)", file.read(), re.M)[1])


def until(condition, seconds=5.0):
    """How long it took until the condition held; None where it did not."""
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        if condition():
            return time.monotonic() - begun
        time.sleep(0.02)
    return None


def is_true(browser):
    return lambda: browser.run("return document.body.dataset.link") == "true"


def view(browser, name):
    browser.run("location.hash = arguments[0]", name)
    until(lambda: browser.run("return !document.querySelector('[data-view=' + arguments[0] + ']').hidden", name), 2)


def button(text, within=""):
    """A selector that finds a button by what it says: the page marks it."""
    return f"{within} button[data-test='{text}']".strip()


def mark(browser):
    """Gives each button an attribute with its name, so that it can be touched by it."""
    browser.run("""document.querySelectorAll('button').forEach(function (node) {
      node.dataset.test = node.getAttribute('aria-label') || node.textContent; });""")


def beats(stage, browser, tempo, seconds):
    daemon = stage.osc
    daemon.send("/tactus/tempo", float(tempo))
    daemon.send("/tactus/subscribe", 0, "beat")
    before = len(browser.run("return tactusReport().beats"))
    daemon.send("/tactus/start")
    # By the daemon's own word: sequence to the instant on the wall clock at which it is heard.
    due = {}

    def note(name, values):
        if name == "/tactus/beat":
            due[values[0], values[1]] = (values[8] - time.monotonic_ns()) / 1e6 + time.time_ns() / 1e6
        return False
    daemon.listen(note, seconds)
    daemon.send("/tactus/stop")
    cancelled = set()

    def cancel(name, values):
        if name == "/tactus/beat/cancel":
            cancelled.update((values[0], number) for number in range(values[1], values[2] + 1))
        return False
    daemon.listen(cancel, 1)
    report = browser.run("return Object.assign(tactusReport(), {origin: performance.timeOrigin})")
    painted = report["beats"][before:]
    half = report["frameLength"] / 2
    name = f"{browser.name}, {tempo} a minute"
    share = len(painted) / max(1, len(due) - len(cancelled))
    check(f"{name}: beats are painted", len(painted) > 0.3 * len(due), f"{len(painted)} of {len(due)}, {share:.0%}")
    lateness = sorted(beat[1] for beat in painted) or [0]
    at = lambda share: lateness[min(len(lateness) - 1, int(share * len(lateness)))]
    check(f"{name}: each in the frame nearest to its instant", max(map(abs, lateness)) <= half + 1,
          f"frame minus due: p1 {at(.01):.1f}, p50 {at(.5):.1f}, p99 {at(.99):.1f} ms; half a frame {half:.1f} ms, "
          f"clock known to {report['uncertainty']:.1f} ms, counts {report['counts']}")
    # The same by clocks of this test's own: the wall clock, which the page was not told to use.
    apart = [report["origin"] + beat[2] - due[beat[3], beat[0]] for beat in painted if (beat[3], beat[0]) in due]
    middle = statistics.median(apart) if apart else 99
    check(f"{name}: by the wall clock too", abs(middle) <= half + 6, f"median {middle:.1f} ms")
    numbers = [(beat[3], beat[0]) for beat in painted]
    check(f"{name}: none twice", len(numbers) == len(set(numbers)))
    check(f"{name}: none that was cancelled", not cancelled & set(numbers), f"{len(cancelled)} cancelled")


def controls(stage, browser):
    daemon = stage.osc
    name = browser.name
    mark(browser)

    def touched(what, selector, path, wanted, hold=0.0):
        browser.touch(selector, hold)
        check(f"{name}: {what}", daemon.wait(path, wanted), "" if daemon.wait(path, wanted, 0.1) else daemon.value(path))

    view(browser, "stage")
    daemon.send("/tactus/stop")
    daemon.send("/tactus/tempo", 100.0)
    time.sleep(0.3)
    touched("start by touch", "#go", "transport", "rolling")
    touched("stop by touch", "#go", "transport", "stopped")
    touched("+1 by touch", button("Faster by 1"), "tempo", 101)
    touched("-1 by touch", button("Slower by 1"), "tempo", 100)
    touched("+1 held repeats", button("Faster by 1"), "tempo", lambda value: value and value > 102, 1.2)
    browser.key(" ")
    check(f"{name}: start by the space bar", daemon.wait("transport", "rolling"))
    browser.key(" ")
    check(f"{name}: stop by the space bar", daemon.wait("transport", "stopped"))
    now = daemon.value("tempo")
    browser.key("\ue013")
    check(f"{name}: up is one more", daemon.wait("tempo", now + 1))
    browser.key("\ue015")
    check(f"{name}: down is one less", daemon.wait("tempo", now))
    for _ in range(4):
        browser.key("t")
        time.sleep(0.4)
    check(f"{name}: T taps a tempo near 150", daemon.wait("tempo", lambda value: 60 < value < 160), daemon.value("tempo"))
    view(browser, "practice")
    touched("a timer of 5 minutes", button("5", "[data-view=practice]"), "timer", 5)
    check(f"{name}: which is shown as chosen", until(lambda: browser.run("""return document.querySelector('[data-view=practice] [data-test="5"]').getAttribute('aria-pressed') === 'true'""")) is not None)
    touched("and off again", button("5", "[data-view=practice]"), "timer", 0)
    touched("silent bars in turn", button("In turn", "[data-view=practice]"), "mute/bars", 3)
    touched("silent bars off", button("Off", "[data-view=practice]"), "mute/bars", 1)
    touched("the speed trainer is chosen", button("Speed trainer", "[data-view=practice]"), "transport", "stopped")
    touched("the speed trainer starts", button("Start the trainer", "[data-view=practice]"), "transport", "rolling")
    daemon.wait("ramp/progress", 80)
    levels = daemon.state.get("/tactus/ramp/progress", [0, 0, 0])
    # 80 to 120 in steps of 5: 40 / 5 + 1 = 9 levels.
    check(f"{name}: with nine levels", levels[2] == 9, levels)
    view(browser, "stage")
    check(f"{name}: the stage shows where in the ramp", until(lambda: "of 9" in browser.run("return document.getElementById('where').textContent")) is not None)
    touched("stop ends it", "#go", "transport", "stopped")
    daemon.send("/tactus/ramp/cancel")
    view(browser, "practice")
    browser.touch(button("Steady", "[data-view=practice]"))
    view(browser, "rhythm")
    touched("a meter by touch", button("3/4", "[data-view=rhythm]"), "meter", "3/4")
    check(f"{name}: which shows here as well", until(lambda: browser.run("""return document.querySelectorAll('.lamp').length === 3
        && document.querySelector('[data-view=rhythm] [data-test="3/4"]').getAttribute('aria-pressed') === 'true'""")) is not None)
    mark(browser)
    touched("an accent by touch", button("Beat 2: normal", "[data-view=rhythm]"), "pattern", "XXx")
    touched("three clicks a beat", button("3", "[data-view=rhythm]"), "subdivision", 3)
    check(f"{name}: also these", until(lambda: browser.run("""return document.querySelector('[data-view=rhythm] [data-test="3"]').getAttribute('aria-pressed') === 'true'""")) is not None)
    touched("one again", button("1", "[data-view=rhythm]"), "subdivision", 1)
    browser.run("""var f = document.querySelector('[data-view=rhythm] input[type=range][max="1"]');
      f.value = 0.5; f.dispatchEvent(new Event('input'));""")
    check(f"{name}: the volume's fader", daemon.wait("volume", lambda value: abs(value - 0.5) < 0.01), daemon.value("volume"))
    view(browser, "sets")
    until(lambda: browser.run("return document.querySelectorAll('[data-view=sets] .chips button').length") > 1)
    mark(browser)
    touched("a preset by touch", button("practice", "[data-view=sets]"), "preset", "practice")
    daemon.send("/tactus/preset", "default")
    daemon.send("/tactus/meter", "4/4")


def changes(stage, browser):
    """What others change shows here within 100 ms."""
    view(browser, "stage")
    browser.run("""window.seenAt = {}; new MutationObserver(function () {
        var text = document.querySelector('#tempo b').textContent;
        if (!seenAt[text]) { seenAt[text] = Date.now(); } }).observe(document.querySelector('#tempo b'), {childList: true, characterData: true, subtree: true});""")
    took = []
    for tempo in range(131, 139):
        sent = time.time() * 1000
        stage.osc.send("/tactus/tempo", float(tempo))
        until(lambda: browser.run("return seenAt[arguments[0]]", str(tempo)), 2)
        took.append((browser.run("return seenAt[arguments[0]]", str(tempo)) or 1e15) - sent)
        time.sleep(0.2)
    check(f"{browser.name}: a change elsewhere shows here within 100 ms", statistics.median(took) <= 100,
          f"{min(took):.0f} to {max(took):.0f} ms")


def losses(stage, network, browser):
    name = browser.name
    browser.open(PAGE + "?again")
    browser.open(PAGE)
    took = until(is_true(browser), 5)
    check(f"{name}: true after a reload", took is not None and took < 2, took and f"{took:.2f} s")
    stage.osc.send("/tactus/start")
    time.sleep(1)
    stage.osc.send("/tactus/tempo", 97.0)
    browser.run("window.wasHidden = false; document.addEventListener('visibilitychange', function () { if (document.hidden) { window.wasHidden = true; } });")
    browser.asleep(60 if options.long else 4)
    awake = lambda: browser.run("return [document.body.dataset.link, document.querySelector('#tempo b').textContent]") == ["true", "97"]
    took = until(awake, 5)
    check(f"{name}: true again after sleep", browser.run("return window.wasHidden") and took is not None and took <= 1.5, took and f"{took:.2f} s")
    time.sleep(1.5)
    report = browser.run("return tactusReport()")
    check(f"{name}: and no beat of that time is painted late", max(abs(beat[1]) for beat in report["beats"]) <= report["frameLength"] / 2 + 1)
    stage.osc.send("/tactus/stop")
    network.is_cut = True
    took = until(lambda: browser.run("return document.body.dataset.link") == "lost", 5)
    check(f"{name}: says that the network is lost", took is not None and not browser.run("return document.getElementById('link').hidden"), took and f"{took:.2f} s")
    time.sleep(3)
    stage.osc.send("/tactus/tempo", 93.0)
    network.is_cut = False
    shows = lambda: browser.run("return [document.body.dataset.link, document.querySelector('#tempo b').textContent]") == ["true", "93"]
    took = until(shows, 6)
    check(f"{name}: true again after a cut of 5 s", took is not None and took <= 2, took and f"{took:.2f} s")
    stage.stop(signal.SIGKILL)
    took = until(lambda: browser.run("return document.body.dataset.link") == "lost", 3)
    check(f"{name}: says that the daemon is gone", took is not None, took and f"{took:.2f} s")
    stage.start()
    took = until(is_true(browser), 6)
    check(f"{name}: true again with a new daemon", took is not None and took <= 2, took and f"{took:.2f} s")


HOSTILE = ["<img src=x onerror=window.hacked=1>", "\u202eevil\u202c", "x" * 120, "\"><script>hacked=1<", "{{1}}"]


def hostile(stage, browser):
    view(browser, "sets")
    stage.osc.ask("/tactus/preset/list")
    browser.run("document.dispatchEvent(new Event('visibilitychange'))")
    shown = lambda: browser.run("return Array.from(document.querySelectorAll('[data-view=sets] .chips button')).map(function (n) { return n.textContent; })")
    until(lambda: len(shown()) > 2)
    names = [name for name in HOSTILE if name in shown()]
    check(f"{browser.name}: hostile names are shown as text", len(names) == len(HOSTILE), len(names))
    check(f"{browser.name}: and run nothing", browser.run("return window.hacked === undefined && !document.querySelector('main img')"))


def accessible(browser):
    with open(AXE) as file:
        browser.run(file.read() + "; window.axe = axe;")
    found = []
    for name in ("stage", "practice", "rhythm", "sets", "setup"):
        view(browser, name)
        browser.run("""
          window.axeDone = null; axe.run(document, {resultTypes: ['violations']}).then(function (r) {
            window.axeDone = r.violations.map(function (v) { return v.id + ' ' + v.nodes.slice(0, 3).map(function (n) { return n.target.join(' '); }).join(', '); }); });""")
        until(lambda: browser.run("return window.axeDone") is not None, 60)
        result = browser.run("return window.axeDone")
        found += [f"{name}: {violation}" for violation in (["no result"] if result is None else result)]
    check(f"{browser.name}: axe finds nothing", not found, *found)


def pictures(browser, folder):
    os.makedirs(folder, exist_ok=True)
    for size, width, height in (("phone", 390, 760), ("phone-landscape", 780, 360), ("tablet", 1180, 750), ("tablet-portrait", 820, 1100), ("desktop", 1440, 900)):
        browser.resize(width, height)
        for name in ("stage", "practice", "rhythm", "sets", "setup"):
            view(browser, name)
            time.sleep(0.15)
            browser.picture(os.path.join(folder, f"{browser.name}-{size}-{name}.png"))
    browser.resize(1180, 750)


AXE = next((os.path.join(root, "axe.min.js") for root, _, files in os.walk(sys.prefix) if "axe.min.js" in files), None)


def main():
    import hostile_clients

    network = Network()
    stage = Stage()
    presets = os.path.join(stage.folder, "tactus", "presets")
    os.makedirs(presets)
    for name in HOSTILE:
        with open(os.path.join(presets, f"{name}.json"), "w") as file:
            file.write('{"tempo": 120}')
    stage.start()
    try:
        time.sleep(1)
        web = stage.web()
        before = status(web, "voluntary_ctxt_switches")
        stage.osc.send("/tactus/start")
        time.sleep(5)
        woken = status(web, "voluntary_ctxt_switches") - before
        stage.osc.send("/tactus/stop")
        check("nobody connected, the metronome plays: the serving process sleeps", woken <= 5, f"{woken} wake-ups in 5 s")
        for name in options.browsers:
            browser = getattr(browsers, name)(network)
            try:
                browser.open(PAGE)
                took = until(is_true(browser), 10)
                check(f"{name}: the page is there", took is not None)
                check(f"{name}: over plain HTTP at another machine's address", browser.run("return !isSecureContext && !location.host.startsWith('127')"))
                controls(stage, browser)
                changes(stage, browser)
                hostile(stage, browser)
                accessible(browser)
                if options.pictures:
                    pictures(browser, options.pictures)
                network.delay, network.jitter, network.loss = 0.005, 0.005, 0.02
                view(browser, "stage")
                for tempo in (120, 240):
                    beats(stage, browser, tempo, 60 if options.long else 12)
                network.delay = network.jitter = network.loss = 0
                losses(stage, network, browser)
                errors = [line for line in browser.errors() if "ERR_CONNECTION" not in line and "WebSocket connection" not in line and "ERR_" not in line]
                check(f"{name}: no error in its console", not errors, *errors[:3])
            finally:
                browser.close()
        hostile_clients.run(stage, network, check, until)
        size = resident(stage.web())
        check("the serving process stays within 14 MB", size <= 14 * 1024, f"{size} KB")
        check("the daemon is well", stage.process.poll() is None and stage.osc.wait("transport", "stopped"))
    finally:
        stage.stop()
        if failed:
            print(stage.text())
        network.close()
        shutil.rmtree(stage.folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
