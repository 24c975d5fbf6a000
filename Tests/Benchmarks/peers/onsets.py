"""Compares the click onsets of a WAV of klick with the event list of a render, one line a click.

An onset is a sample that is not zero after 200 zero ones; klick's clicks are shorter than that gap
is long. klick cuts the fraction of a frame off, the render rounds half up: so each click of klick
lies on the same frame or on the one before, and nothing adds up. Anything else is a failure.
"""

import array
import json
import sys
import wave


def onsets(path):
    with wave.open(path) as sound:
        samples = array.array("h", sound.readframes(sound.getnframes()))[:: sound.getnchannels()]
    found, silent = [], 200
    for frame, sample in enumerate(samples):
        if sample:
            if silent >= 200:
                found.append(frame)
            silent = 0
        else:
            silent += 1
    return found


def main():
    theirs = onsets(sys.argv[1])
    with open(sys.argv[2]) as lines:
        events = [json.loads(line) for line in lines]
    ours = [e for e in events if e["kind"] == "click" and e["accent"] != "silent"]
    print(f"clicks: klick {len(theirs)}, tactus {len(ours)}")
    print("bar.beat      bpm      klick     tactus  difference")
    unexplained = 0
    for frame, event in zip(theirs, ours):
        difference = frame - event["frame"]
        why = {0: "", -1: "  fraction cut off"}.get(difference)
        unexplained += why is None
        place = f"{event['bar']}.{event['beat']}"
        print(
            f"{place:<8} {event['bpm']:8} {frame:10} {event['frame']:10} {difference:11}"
            f"{'  NOT EXPLAINED' if why is None else why}"
        )
    same = sum(frame == event["frame"] for frame, event in zip(theirs, ours))
    print(f"on the same frame {same}, one earlier for want of rounding {len(ours) - same - unexplained}")
    if unexplained or len(theirs) != len(ours):
        sys.exit("there are differences that are not explained")


main()
