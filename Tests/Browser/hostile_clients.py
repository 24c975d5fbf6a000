"""Clients that mean no good, from the tablet's side; the page and the daemon are not to feel them."""
import socket
import time

import osc
from network import HERE

WEB_PORT = 19780


def request(path="/", host=f"{HERE}:{WEB_PORT}", method="GET", headers=()):
    """The status of an HTTP request; 0 where none came."""
    with socket.create_connection((HERE, WEB_PORT), timeout=5) as connection:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Content-Length: 0", *headers]
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        try:
            answer = connection.recv(4096)
        except OSError:
            return 0
        return int(answer.split(b" ")[1]) if answer.startswith(b"HTTP/1.") else 0


def closes(client, seconds=5):
    client.socket.settimeout(seconds)
    try:
        while True:
            client.receive()
    except TimeoutError:
        return False
    except OSError:
        return True


def refusal(client, address):
    """The code with which an address is refused."""
    while True:
        values = client.until("/tactus/error")
        if values[0] == address:
            return values[1]


def run(stage, network, check, until):
    with network.inside():
        check("a request by our own address is answered", request() == 200)
        check("by another host's name it is refused (DNS rebinding)", request(host="evil.example") == 403)
        check("from a page of another site it is refused", request(headers=["Origin: http://evil.example"]) == 403)
        check("nothing is changed by POST", request("/tactus/start", method="POST") == 405)
        request("/tactus/start")
        check("nor by GET", stage.osc.value("transport") == "stopped")
        check("a foreign page gets no WebSocket", osc.WebSocket(HERE, WEB_PORT, origin="http://evil.example").status != 101)
        check("nor does a foreign name", osc.WebSocket(HERE, WEB_PORT, host="evil.example").status != 101)
        check("'null' is foreign too", osc.WebSocket(HERE, WEB_PORT, origin="null").status != 101)

        page = osc.WebSocket(HERE, WEB_PORT)
        page.send(osc.message("/tactus/quit"))
        check("a tablet may not end the daemon", refusal(page, "/tactus/quit") == 403)
        page.send(osc.message("/tactus/lock", "1"))
        check("nor lock it", refusal(page, "/tactus/lock") == 403)
        bundle = b"#bundle\0" + (1).to_bytes(8, "big")
        for part in (osc.message("/tactus/from", "127.0.0.1"), osc.message("/tactus/lock", "1")):
            bundle += len(part).to_bytes(4, "big") + part
        page.send(bundle)
        refusal(page, "/tactus/lock")
        check("nor by saying that it is this machine", stage.osc.value("locked") == 0)
        stage.osc.send("/tactus/lock", "4711")
        page.send(osc.message("/tactus/start"))
        check("a lock holds against a page", refusal(page, "/tactus/start") == 423)
        page.send(osc.message("/tactus/unlock", "4711"))
        page.send(osc.message("/tactus/ping", 5))
        page.until("/tactus/pong")
        check("and its PIN opens it", stage.osc.value("locked") == 0)

        half_open = []
        for _ in range(200):
            try:
                half_open.append(socket.create_connection((HERE, WEB_PORT), timeout=1))
            except OSError:
                break
        page.send(osc.message("/tactus/ping", 6))
        check("200 half-open connections: an open page goes on", page.until("/tactus/pong") == [6])
        status = request()
        check("and a new one comes in", status == 200, status)
        other = osc.WebSocket(HERE, WEB_PORT)
        check("also its WebSocket", other.status == 101)
        for connection in half_open:
            connection.close()
        lines = [line for line in stage.text().splitlines() if "connections at once" in line]
        check("which is said once", len(lines) <= 1, *lines)

        other.send(b"/tactus/ping\0\0\0\0" + b"\0" * (65536 - 16))
        other.send(osc.message("/tactus/ping", 7))
        check("a message of 64 KB is no reason to close", other.until("/tactus/pong") == [7])
        other.send(b"\0" * 65537)
        check("one byte more is", closes(other))
        garbage = osc.WebSocket(HERE, WEB_PORT)
        for text in (b"{", b"\xff\xfe", b'{"COMMAND":"LISTEN","DATA":"' + b"/" * 60000 + b'"}'):
            garbage.send(text, kind=1)
        garbage.send(b"garbage!")
        garbage.send(osc.message("/tactus/ping", 8))
        check("garbage is passed over", garbage.until("/tactus/pong") == [8])
        garbage.close()

        slow = osc.WebSocket(HERE, WEB_PORT)
        slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.socket.settimeout(2)
        slow.send(osc.message("/tactus/subscribe", 0, "all"))
        begun = time.monotonic()
        gone = False
        while time.monotonic() - begun < 15 and not gone:
            try:
                # Pongs of 200 bytes as fast as they are taken, and never one read.
                for _ in range(50):
                    slow.send(osc.message("/tactus/ping", "x" * 200))
                time.sleep(0.06)
            except OSError:
                gone = True
        check("who does not read is closed", gone)
        asked = time.monotonic()
        page.send(osc.message("/tactus/ping", 9))
        check("beside a slow reader a page is answered at once", page.until("/tactus/pong") == [9] and time.monotonic() - asked < 0.5)
        slow.close()

        many = [osc.WebSocket(HERE, WEB_PORT) for _ in range(14)]
        taken = [client for client in many if client.status == 101]
        # 12 of one other machine, one of which is the page.
        check("twelve WebSockets of one machine and no more", len(taken) == 11, len(taken))
        for client in many:
            client.close()
    local = osc.WebSocket("127.0.0.1", WEB_PORT)
    check("this machine still has room", local.status == 101)
    local.close()
    page.close()
    time.sleep(0.3)
    stage.osc.ask("/tactus/state")
