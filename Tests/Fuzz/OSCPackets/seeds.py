#!/usr/bin/env python3
"""Writes packets to start osc-fuzz from: every address with every type of argument, bundles, both
framings of TCP, patterns, and what is malformed in a known way.

Usage: tactus osc list | seeds.py DIRECTORY
"""
import os
import struct
import sys

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
# How FuzzedServer takes the first byte: modulo 4, and as milliseconds that have passed.
STREAM, PATTERN, ROUND_TRIP, PACKET = 0, 1, 2, 3


def text(word):
    raw = word.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 4)


def message(address, tags="", data=b""):
    return text(address) + text("," + tags) + data


def bundle(*elements, tag=1):
    return text("#bundle") + struct.pack(">Q", tag) + b"".join(
        struct.pack(">i", len(element)) + element for element in elements)


def slip(packet):
    packet = packet.replace(b"\xdb", b"\xdb\xdd").replace(b"\xc0", b"\xdb\xdc")
    return b"\xc0" + packet + b"\xc0"


def sized(packet):
    return struct.pack(">i", len(packet)) + packet


count = 0


def write(kind, packet):
    global count
    with open(os.path.join(folder, f"{count:04}"), "wb") as file:
        file.write(bytes([kind]) + packet)
    count += 1


arguments = [
    ("", b""), ("i", struct.pack(">i", 1)), ("f", struct.pack(">f", 0.5)),
    ("d", struct.pack(">d", 120.5)), ("h", struct.pack(">q", -1)), ("s", text("7/8")),
    ("T", b""), ("F", b""), ("N", b""), ("I", b""), ("[ii]", struct.pack(">ii", 7, 8)),
    ("b", struct.pack(">i", 3) + b"abc\0"), ("t", struct.pack(">Q", 1)), ("c", struct.pack(">i", 65)),
    ("m", b"\0\x90\x40\x7f"), ("r", b"\1\2\3\4"), ("S", text("half")),
    ("ifs", struct.pack(">if", 3, 60.0) + text("bar")), ("ffff", struct.pack(">4f", 80, 120, 60, 5)),
]
addresses = [line.split()[0].replace("<port>", "Clock") for line in sys.stdin if line.startswith("/")]
for index, address in enumerate(addresses):
    for tags, data in [arguments[0], arguments[1 + index % (len(arguments) - 1)]]:
        write(PACKET, message(address, tags, data))
for tags, data in arguments:
    write(ROUND_TRIP, message("/tactus/tempo", tags, data))
tempo, start = message("/tactus/tempo", "f", struct.pack(">f", 90)), message("/tactus/start")
nested = bundle(tempo, bundle(start, bundle(tempo), tag=2 << 60))
for packet in [bundle(tempo, start), nested, bundle(), bundle(start, tag=0xE9 << 56)]:
    write(PACKET, packet)
for frames in [sized(tempo), sized(tempo) + sized(nested), slip(tempo), slip(nested) + slip(start),
               b"\xc0\xc0" + slip(tempo), slip(b"\xc0\xdb"), struct.pack(">i", -1), sized(b"")]:
    write(STREAM, frames)
for pattern in ["/tactus/*", "/tactus/{start,stop}", "/tactus/[a-m]*", "/tactus/?empo", "//stop",
                "/*a*a*a*a*a*a*a*a", "/tactus/[!s]top", "/{", "/["]:
    write(PATTERN, pattern.encode() + b"\0" + b"/tactus/start")
    write(PACKET, message(pattern))
for wrong in [b"", b"/", b"/abc", text("/a") + text(",q"), text("/a") + text(",b") + b"\xff" * 4,
              bundle()[:-1], bundle() + struct.pack(">i", -1), bundle() + struct.pack(">i", 1 << 30)]:
    write(PACKET, wrong)
print(f"{count} packets in {folder}")
