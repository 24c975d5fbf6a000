#!/usr/bin/env python3
"""Draws a generated layout as a tablet would show it, one picture with all pages.

Usage: draw.py FILE.tosc|FILE.json PICTURE.png

Reads the generated file, never the source. Ends with 1 where touch targets overlap, leave their page
or are smaller than 48 pixels at 1024 by 768, or where a text is wider than its control.
"""
import json
import sys
import xml.etree.ElementTree as ElementTree
import zlib

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT, SMALLEST = 1024, 768, 48
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
problems = []


class Item:
    def __init__(self, name, frame, colour, text="", size=20, kind="button", group=None):
        self.name, self.frame, self.colour = name, frame, colour
        self.text, self.size, self.kind, self.group = text, size, kind, group


def touchosc(path):
    """The strip, and pages of items with their place on the screen."""
    root = ElementTree.fromstring(zlib.decompress(open(path, "rb").read())).find("node")

    def properties(node):
        found = {}
        for entry in node.find("properties"):
            value, key = entry.find("value"), entry.find("key").text
            if entry.get("type") in "rc":
                found[key] = [float(part.text) for part in value]
            else:
                found[key] = value.text or ""
        return found

    def items(nodes, dx, dy):
        result = []
        for node in nodes:
            has = properties(node)
            kind = node.get("type")
            x, y, w, h = has["frame"]
            colour = tuple(int(part * 255) for part in has["color"][:3])
            text = ""
            for value in node.find("values"):
                if value.find("key").text == "text":
                    text = value.find("default").text or ""
            if kind == "FADER" and has["interactive"] == "0":
                kind = "BAR"
            if kind == "LABEL" and has["background"] == "0":
                colour = None
            result.append(Item(has["name"], (x + dx, y + dy, w, h), colour, text,
                               int(has.get("textSize", 20)), kind.lower()))
        return result

    strip, pages = [], []
    for node in root.find("children"):
        if node.get("type") != "PAGER":
            strip += items([node], 0, 0)
            continue
        has = properties(node)
        px, py, pw, _ = has["frame"]
        bar = float(has["tabbarSize"])
        groups = list(node.find("children"))
        for index, group in enumerate(groups):
            page = properties(group)
            colour = tuple(int(part * 255) for part in page["tabColorOff"][:3])
            strip.append(Item("tab", (px + index * pw / len(groups), py, pw / len(groups), bar),
                              colour, page["tabLabel"], int(has["textSizeOff"]), "button"))
            gx, gy, gw, gh = page["frame"]
            pages.append((page["tabLabel"], (px + gx, py + gy, gw, gh),
                          items(group.find("children"), px + gx, py + gy)))
    return strip, pages


def open_stage_control(path):
    session = json.load(open(path))
    assert session["type"] == "session" and session["content"]["type"] == "root"

    def frame(widget, room):
        share = {key: float(widget[key].rstrip("%")) / 100
                 for key in ("left", "top", "width", "height")}
        x, y, w, h = room
        return (x + share["left"] * w, y + share["top"] * h, share["width"] * w,
                share["height"] * h)

    def colour(widget, strength):
        parts = widget["colorWidget"][4:-1].split(",")
        return tuple(int(int(part) * strength) for part in parts)

    def items(widgets, room):
        result = []
        for widget in widgets:
            kind = widget["type"]
            if kind in ("variable", "panel"):
                continue
            place = frame(widget, room)
            css = widget.get("css", "font-size: 22rem;")
            size = int(css.split("font-size: ")[1].split("rem")[0])
            if kind == "switch":
                labels = widget["values"]["labels"]
                columns = int(widget.get("gridTemplate", len(labels)))
                rows = -(-len(labels) // columns)
                x, y, w, h = place
                for index, label in enumerate(labels):
                    cell = (x + index % columns * w / columns, y + index // columns * h / rows,
                            w / columns, h / rows)
                    result.append(Item(widget["id"], cell, colour(widget, 0.45), label, size))
                continue
            text = widget.get("label", str(widget.get("default", "")))
            if text.startswith("@{"):
                text = ""
            fill = colour(widget, 0.6)
            if kind == "fader" and widget.get("interaction") is False:
                kind = "bar"
            if kind == "text" and widget.get("default"):
                fill = None
            names = {"text": "label", "led": "box"}
            result.append(Item(widget["id"], place, fill, text, size, names.get(kind, kind)))
        return result

    root = session["content"]
    screen = (0, 0, WIDTH, HEIGHT)
    pages = []
    for widget in root["widgets"]:
        if widget["type"] == "panel":
            room = frame(widget, screen)
            pages = [(tab["label"], room, items(tab["widgets"], room)) for tab in widget["tabs"]]
    return items(root["widgets"], screen), pages


def check(title, room, items):
    targets = [item for item in items if item.kind in ("button", "fader")]
    for item in items:
        x, y, w, h = item.frame
        if (x < room[0] - 0.1 or y < room[1] - 0.1 or x + w > room[0] + room[2] + 0.1
                or y + h > room[1] + room[3] + 0.1):
            problems.append(f"{title}: {item.name} leaves the page")
    for index, item in enumerate(targets):
        x, y, w, h = item.frame
        if w < SMALLEST or h < SMALLEST:
            problems.append(f"{title}: {item.name} is {w:.0f} by {h:.0f}")
        for other in targets[:index]:
            ox, oy, ow, oh = other.frame
            if x < ox + ow - 0.1 and ox < x + w - 0.1 and y < oy + oh - 0.1 and oy < y + h - 0.1:
                problems.append(f"{title}: {item.name} lies over {other.name}")


def paint(canvas, items, dx, dy, title):
    for item in items:
        x, y, w, h = item.frame
        box = (x + dx, y + dy, x + dx + w - 1, y + dy + h - 1)
        if item.colour is not None:
            canvas.rounded_rectangle(box, 6, fill=item.colour, outline=(140, 140, 150))
        if item.kind in ("fader", "bar"):
            if w > h:
                canvas.rectangle((box[0] + 4, box[1] + 4, box[0] + w * 0.4, box[3] - 4),
                                 fill=(200, 200, 210))
            else:
                canvas.rectangle((box[0] + 4, box[3] - h * 0.6, box[2] - 4, box[3] - 4),
                                 fill=(200, 200, 210))
        if item.text:
            font = ImageFont.truetype(FONT, item.size)
            if canvas.textlength(item.text, font=font) > w - 4 or item.size > h:
                problems.append(f"{title}: text '{item.text}' is cut off in {item.name}")
            canvas.text((x + dx + w / 2, y + dy + h / 2), item.text, font=font, anchor="mm",
                        fill=(255, 255, 255))


def main(source, picture):
    strip, pages = (touchosc if source.endswith(".tosc") else open_stage_control)(source)
    columns = 2
    rows = -(-len(pages) // columns)
    image = Image.new("RGB", (columns * (WIDTH + 8), rows * (HEIGHT + 8)), (255, 255, 255))
    canvas = ImageDraw.Draw(image)
    check("strip", (0, 0, WIDTH, HEIGHT), strip)
    for index, (title, room, items) in enumerate(pages):
        dx, dy = index % columns * (WIDTH + 8), index // columns * (HEIGHT + 8)
        canvas.rectangle((dx, dy, dx + WIDTH - 1, dy + HEIGHT - 1), fill=(16, 16, 18))
        paint(canvas, strip, dx, dy, "strip")
        paint(canvas, items, dx, dy, title)
        check(title, room, items)
        check(title, (0, 0, WIDTH, HEIGHT), strip + items)
    image.save(picture)
    for problem in sorted(set(problems)):
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
