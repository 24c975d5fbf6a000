"""The two browsers, each on the tablet's side of the network."""
import contextlib
import os
import shutil
import subprocess
import tempfile
import time


class Chromium:
    name = "Chromium"

    def __init__(self, network, width=1180, height=820):
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options

        self.profile = tempfile.mkdtemp()
        port = 9515
        self.process = subprocess.Popen(
            network.command("chromedriver", f"--port={port}"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        options = Options()
        options.binary_location = shutil.which("chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "--lang=en"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for _ in range(100):
            time.sleep(0.1)
            with contextlib.suppress(Exception), network.inside():
                self.driver = webdriver.Remote(f"http://127.0.0.1:{port}", options=options)
                break
        # By the tablet's own loopback, which holds when the network between is cut.
        execute = self.driver.execute

        def inside(*arguments, **named):
            with network.inside():
                return execute(*arguments, **named)
        self.driver.execute = inside
        self.driver.set_script_timeout(120)

    def open(self, address):
        self.driver.get(address)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def resize(self, width, height):
        self.driver.set_window_size(width, height)
        # A window has borders; the page is to have this size.
        inner = self.run("return [innerWidth, innerHeight]")
        self.driver.set_window_size(2 * width - inner[0], 2 * height - inner[1])

    def picture(self, path):
        self.driver.save_screenshot(path)

    def touch(self, selector, hold=0.0):
        """A finger on the middle of an element."""
        from selenium.webdriver.common.actions.action_builder import ActionBuilder
        from selenium.webdriver.common.actions.pointer_input import PointerInput

        element = self.driver.find_element("css selector", selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        actions = ActionBuilder(self.driver, mouse=PointerInput("touch", "finger"))
        actions.pointer_action.move_to(element)
        actions.pointer_action.pointer_down()
        actions.pointer_action.pause(max(hold, 0.03))
        actions.pointer_action.pointer_up()
        actions.perform()

    def key(self, key):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(key).perform()

    def asleep(self, seconds):
        """Another tab in front for so long."""
        own = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        time.sleep(seconds)
        self.driver.close()
        self.driver.switch_to.window(own)

    def errors(self):
        return [entry["message"] for entry in self.driver.execute("getLog", {"type": "browser"})["value"] if entry["level"] == "SEVERE"]

    def close(self):
        with contextlib.suppress(Exception):
            self.driver.quit()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


class Firefox:
    """Through Marionette, Firefox's own protocol: Debian has no geckodriver."""
    name = "Firefox"

    def __init__(self, network, width=1180, height=820):
        from marionette_driver.marionette import Marionette

        self.profile = tempfile.mkdtemp()
        self.network = network
        with open(os.path.join(self.profile, "user.js"), "w") as file:
            file.write('user_pref("intl.accept_languages", "en");\n'
                       'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
                       'user_pref("browser.shell.checkDefaultBrowser", false);\n'
                       'user_pref("network.captive-portal-service.enabled", false);\n'
                       'user_pref("network.connectivity-service.enabled", false);\n')
        self.process = subprocess.Popen(
            network.command("firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", self.profile,
                            "--width", str(width), "--height", str(height)),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.client = Marionette(host="127.0.0.1", port=2828, bin=None, startup_timeout=60)
        for _ in range(150):
            time.sleep(0.2)
            with contextlib.suppress(Exception), network.inside():
                self.client.start_session()
                break
        self.client.timeout.script = 120
        self.resize(width, height)

    def open(self, address):
        self.client.navigate(address)

    def run(self, script, *arguments):
        return self.client.execute_script(script, arguments, sandbox=None, new_sandbox=False)

    def resize(self, width, height):
        self.client.set_window_rect(width=width, height=height)
        inner = self.run("return [innerWidth, innerHeight]")
        self.client.set_window_rect(width=2 * width - inner[0], height=2 * height - inner[1])

    def picture(self, path):
        import base64

        with open(path, "wb") as file:
            file.write(base64.b64decode(self.client.screenshot(full=False)))

    def touch(self, selector, hold=0.0):
        element = self.client.find_element("css selector", selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        chain = self.client.actions.sequence("pointer", "finger", {"pointerType": "touch"})
        chain.pointer_move(0, 0, origin=element).pointer_down().pause(int(1000 * max(hold, 0.03))).pointer_up().perform()

    def key(self, key):
        self.client.actions.sequence("key", "keyboard").send_keys(key).perform()

    def asleep(self, seconds):
        # Without a screen no tab and no window of Firefox is ever hidden: the page is told so.
        told = "document.dispatchEvent(new Event('visibilitychange'));"
        self.run("Object.defineProperty(document, 'hidden', {value: true, configurable: true});" + told)
        time.sleep(seconds)
        self.run("delete document.hidden;" + told)

    def errors(self):
        return []

    def close(self):
        with contextlib.suppress(Exception):
            self.client.delete_session()
        self.process.terminate()
        with contextlib.suppress(Exception):
            self.process.wait(20)
        if self.process.poll() is None:
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)
