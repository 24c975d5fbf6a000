"""A tablet's network: a namespace at the other end of a link with delay and loss.

The link is two TUN devices with this process between them, so that it needs no kernel module for delays.
"""
import contextlib
import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import threading
import time

HERE, THERE = "10.97.0.1", "10.97.0.2"
_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNET = 0x40000000
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000


def _ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


class Network:
    """`delay` and `jitter` in seconds, `loss` a share; all may be changed at any time, also `is_cut`."""

    def __init__(self):
        self.delay = self.jitter = self.loss = 0.0
        self.is_cut = False
        self.name = f"tablet{os.getpid()}"
        self._own = os.open("/proc/self/ns/net", os.O_RDONLY)
        _ip("netns", "add", self.name)
        self._other = os.open(f"/run/netns/{self.name}", os.O_RDONLY)
        self._here = self._device(f"stage{os.getpid() % 10000}", HERE, THERE, None)
        self._there = self._device("tablet0", THERE, HERE, self.name)
        _ip("-n", self.name, "link", "set", "lo", "up")
        self._ends = False
        self._thread = threading.Thread(target=self._forward, daemon=True)
        self._thread.start()

    def _device(self, name, own, peer, namespace):
        # A device is made where it stays, and its descriptor works from anywhere.
        with self.inside() if namespace else contextlib.nullcontext():
            descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(descriptor, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI))
        where = ["-n", namespace] if namespace else []
        _ip(*where, "address", "add", f"{own}/24", "dev", name)
        _ip(*where, "link", "set", name, "up")
        return descriptor

    @contextlib.contextmanager
    def inside(self):
        """What this thread opens meanwhile is on the tablet's side."""
        if _libc.setns(self._other, _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        try:
            yield
        finally:
            _libc.setns(self._own, _CLONE_NEWNET)

    def command(self, *arguments):
        """A command line that runs on the tablet's side."""
        return ["ip", "netns", "exec", self.name, *arguments]

    def _forward(self):
        waiting, number = [], 0
        last = {self._here: 0.0, self._there: 0.0}
        while not self._ends:
            now = time.monotonic()
            while waiting and waiting[0][0] <= now:
                _, _, target, packet = heapq.heappop(waiting)
                with contextlib.suppress(OSError):
                    os.write(target, packet)
            pause = min(0.2, waiting[0][0] - now) if waiting else 0.2
            readable, _, _ = select.select([self._here, self._there], [], [], max(pause, 0))
            for source in readable:
                with contextlib.suppress(BlockingIOError):
                    while True:
                        packet = os.read(source, 65536)
                        if self.is_cut or random.random() < self.loss:
                            continue
                        target = self._there if source == self._here else self._here
                        due = time.monotonic() + self.delay + self.jitter * random.uniform(-1, 1)
                        # A network of one way keeps the order.
                        due = last[target] = max(due, last[target])
                        number += 1
                        heapq.heappush(waiting, (due, number, target, packet))

    def close(self):
        self._ends = True
        self._thread.join()
        os.close(self._here)
        os.close(self._there)
        os.close(self._other)
        _ip("netns", "delete", self.name)
