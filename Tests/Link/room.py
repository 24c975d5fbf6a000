"""A room: a bridge with a network namespace for each machine in it."""
import json
import os
import subprocess
import sys


def _ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


class Room:
    number = 0

    def __init__(self):
        # A name is free again only some time after its namespace has gone.
        Room.number += 1
        self.name = f"lk{os.getpid() % 100000}{chr(96 + Room.number)}"
        self.machines = []
        _ip("link", "add", self.name, "type", "bridge", "mcast_snooping", "0")
        _ip("link", "set", self.name, "up")

    def machine(self):
        machine = Machine(self, len(self.machines) + 1)
        self.machines.append(machine)
        return machine

    def close(self):
        for machine in self.machines:
            machine.close()
        _ip("link", "del", self.name)


class Machine:
    """A namespace with lo and one interface; `plugged` is its cable."""

    def __init__(self, room, number):
        self.name, self.port = f"{room.name}n{number}", f"{room.name}p{number}"
        self.processes = []
        _ip("netns", "add", self.name)
        _ip("link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        _ip("link", "set", self.port, "master", room.name, "up")
        _ip("-n", self.name, "address", "add", f"10.98.0.{number}/24", "dev", "eth0")
        _ip("-n", self.name, "link", "set", "lo", "up")
        _ip("-n", self.name, "link", "set", "eth0", "up")
        _ip("-n", self.name, "route", "add", "224.0.0.0/4", "dev", "eth0")

    def plug(self, is_on):
        """The machine's own interface goes down and up: it notices at once, the others do not."""
        _ip("-n", self.name, "link", "set", "eth0", "up" if is_on else "down")
        if is_on:
            _ip("-n", self.name, "route", "replace", "224.0.0.0/4", "dev", "eth0")

    def start(self, *arguments, **options):
        process = subprocess.Popen(["ip", "netns", "exec", self.name, *arguments], **options)
        self.processes.append(process)
        return process

    def node(self):
        return Node(self)

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        subprocess.run(["ip", "netns", "del", self.name], check=False)


class Node:
    """A program of ours in a namespace: a Link peer and an OSC client (`node.py`)."""

    def __init__(self, machine):
        self.process = machine.start(
            sys.executable, "-B", os.path.join(os.path.dirname(__file__), "node.py"), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def __call__(self, do, **arguments):
        self.process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def kill(self):
        self.process.kill()
        self.process.wait()
