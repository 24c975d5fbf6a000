#!/usr/bin/env python3
"""Runs the Lua scripts of a generated .tosc file under lua5.1 (see touchosc.lua).

Usage: touchosc.py FILE.tosc
"""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zlib

tree = ElementTree.fromstring(zlib.decompress(open(sys.argv[1], "rb").read()))
here = os.path.dirname(os.path.abspath(__file__))
with tempfile.TemporaryDirectory() as folder:
    for node in tree.iter("node"):
        entries = {entry.find("key").text: entry.find("value").text
                   for entry in node.find("properties")}
        if "script" in entries:
            with open(os.path.join(folder, entries["name"] + ".lua"), "w") as file:
                file.write(entries["script"])
    sys.exit(subprocess.call(["lua5.1", os.path.join(here, "touchosc.lua"), folder]))
