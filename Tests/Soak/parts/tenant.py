"""The local tenant as a server with many requests: metadata, lists, new and deleted tasks, refreshed tokens, mistakes."""

import json
import plistlib
import re
import socket
import time
import urllib.parse

from .process import Failed, Watch, report, running, wait_for

COUNT = 1_000_000
BATCH = 40
FORM = "application/x-www-form-urlencoded"
SCOPES = "https://contoso.onmicrosoft.com/tasks/read https://contoso.onmicrosoft.com/tasks/write"
METADATA = "/contoso.onmicrosoft.com/b2c_1_susi/v2.0/.well-known/openid-configuration"
TOKENS = "/contoso.onmicrosoft.com/oauth2/v2.0/token?p=b2c_1_susi"


class Connection:
    """A connection to the tenant. Requests are sent together, and their responses read one after the other."""

    def __init__(self, port: int):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.host = f"localhost:{port}"
        self.file = self.socket.makefile("rb")

    def request(self, method: str, path: str, token: str = "", body: bytes = b"", kind: str = "application/json") -> bytes:
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\n"
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        if method == "POST":
            head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        return head.encode() + b"\r\n" + body

    def answers(self, requests: list[bytes]) -> list[tuple[int, bytes]]:
        self.socket.sendall(b"".join(requests))
        return [self.answer() for _ in requests]

    def answer(self) -> tuple[int, bytes]:
        status, length = self.file.readline().split(), 0
        while (line := self.file.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not status:
            raise Failed("the tenant closed a connection")
        return int(status[1]), self.file.read(length)


def measure(setting) -> bool:
    count, log = setting.count or COUNT, setting.folder / "tenant.log"
    with running([setting.binary, "tenant"], log, env=setting.environment) as process:
        client = settings(wait_for("</plist>", log, process))
        port = urllib.parse.urlsplit(client["taskAPI"]).port
        connections = [Connection(port) for _ in range(8)]
        statuses: dict[int, int] = {}
        sent, turn, token = 0, 0, ""
        watch, start = Watch(process.pid), time.monotonic()
        with watch.every(0.5):
            while sent < count:
                connection = connections[turn % len(connections)]
                if turn % 100 == 0:
                    token, sent = sign_in(connection, client), sent + 2
                answers = connection.answers(batch(connection, token, turn))
                made = [json.loads(body)["Id"] for status, body in answers if status == 201]
                answers += connection.answers([connection.request("DELETE", f"/api/tasks/{task}", token) for task in made])
                for status, _ in answers:
                    statuses[status] = statuses.get(status, 0) + 1
                sent, turn = sent + len(answers), turn + 1
        watch.save(setting.folder / "tenant.csv")
    seconds = time.monotonic() - start
    print(f"{sent:,} requests in {seconds:.0f} s; statuses {dict(sorted(statuses.items()))}")
    if any(status >= 500 for status in statuses) or not {200, 201, 400, 401, 404} <= set(statuses):
        raise Failed("the tenant did not answer as it should")
    return report(f"tenant, {sent:,} requests", watch, warm_up=0.1)


def batch(connection: Connection, token: str, turn: int) -> list[bytes]:
    form = urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": f"unknown{turn}", "client_id": "x"}).encode()
    text = json.dumps({"Text": f"Task {turn} " + "x" * (turn % 200)}).encode()
    return [
        connection.request("POST", "/api/tasks", token, text), connection.request("POST", "/api/tasks", token, text),
        connection.request("POST", "/api/tasks", token, b"{"), connection.request("GET", "/api/tasks"),
        connection.request("GET", f"/nowhere/{turn}"),
        connection.request("POST", TOKENS, "", form, FORM),
        connection.request("GET", METADATA),
    ] + [connection.request("GET", "/api/tasks", token)] * (BATCH - 7)


def sign_in(connection: Connection, client: dict) -> str:
    """Signs in with a password, refreshes the tokens, and returns the new access token."""
    path = urllib.parse.urlsplit(client["tokenURL"]).path + "?p=" + client["policies"]["ropc"]
    form = {
        "grant_type": "password", "client_id": client["clientID"], "username": "alice", "password": "Wonderland-1",
        "scope": f"openid offline_access {SCOPES}",
    }
    for _ in range(2):
        body = urllib.parse.urlencode(form).encode()
        status, said = connection.answers([connection.request("POST", path, "", body, FORM)])[0]
        if status != 200:
            raise Failed(f"no token: {said!r}")
        tokens = json.loads(said)
        form = {"grant_type": "refresh_token", "client_id": client["clientID"], "refresh_token": tokens["refresh_token"]}
    return tokens["access_token"]


def settings(said: str) -> dict:
    return plistlib.loads(re.search(r"<\?xml.*?</plist>", said, re.DOTALL).group(0).encode())
