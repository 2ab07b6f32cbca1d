"""What the stand-ins of task services share: a server on the loopback interface, its state, and faults on request.

A stand-in prints its address as its first line. With --state FILE it keeps its state over a kill. POST /_control sets
faults: {"fail": {"status": 429, "headers": {"Retry-After": "1"}, "times": 2}} answers the next requests so,
{"drop_after": 3} does the work of the third request from now and closes the connection without an answer,
{"refuse_text": "bad"} refuses a task with that text, and {"travel": 0.05} is the time that each request is on its way.
{"quota": {"requests": 5, "seconds": 1}} answers 429 with Retry-After to the requests after five, until a second is over. A request
that comes before the end of a wait counts as early. {"fill": 250} adds tasks of somebody else. GET /_control tells the tasks, the
requests, those that were early, and what was created.
"""

import argparse
import json
import math
import os
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "stand-in-token"


class StandIn:
    """The state and the rules of a service. `answer` is called with the lock held."""

    def __init__(self, path=None):
        self.path = path
        self.lock = threading.Lock()
        self.state = {"tasks": {}, "next": 1, "created": []}
        self.control = {}
        self.requests = 0
        self.early = 0
        self.held_until = 0.0
        self.quota_used = 0
        if path and os.path.exists(path):
            with open(path) as file:
                self.state = json.load(file)

    def save(self):
        if self.path:
            with open(self.path + ".new", "w") as file:
                json.dump(self.state, file)
            os.replace(self.path + ".new", self.path)

    def new_id(self):
        self.state["next"] += 1
        return str(self.state["next"] - 1)

    def held(self):
        """The whole seconds that requests have to wait; 0 if they need not."""
        quota, now = self.control.get("quota"), time.time()
        if now < self.held_until:
            self.early += 1
            return math.ceil(self.held_until - now)
        if not quota:
            return 0
        self.quota_used += 1
        if self.quota_used <= quota["requests"]:
            return 0
        self.quota_used, self.held_until = 0, now + quota["seconds"]
        return math.ceil(quota["seconds"])

    def limit(self, seconds):
        """The answer to a request beyond a limit: the body and the header fields."""
        return {"error": {"message": "slow down"}}, {"Retry-After": str(seconds)}

    def fill(self, number):
        raise NotImplementedError

    def refuses(self, text):
        return "refuse_text" in self.control and self.control["refuse_text"] in (text or "")

    def answer(self, method, path, query, headers, body):
        raise NotImplementedError


def handler(service):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def send(self, status, body=None, headers=None):
            data = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def handle_any(self):
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            parts = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(parts.query))
            with service.lock:
                if parts.path == "/_control":
                    if self.command == "POST":
                        service.control = json.loads(body)
                        service.quota_used = 0
                        for number in range(service.control.pop("fill", 0)):
                            service.fill(number)
                    return self.send(200, {"tasks": list(service.state["tasks"].values()), "requests": service.requests,
                                           "early": service.early, "created": service.state["created"]})
                service.requests += 1
                travel = service.control.get("travel", 0)
            time.sleep(travel)
            with service.lock:
                if self.headers.get("Authorization") != "Bearer " + TOKEN:
                    return self.send(401, {"error": {"code": "InvalidAuthenticationToken", "message": "the token is wrong"}})
                wait = service.held()
                if wait:
                    answer, headers = service.limit(wait)
                    return self.send(429, answer, headers)
                fail = service.control.get("fail")
                if fail and fail.get("times", 1) > 0:
                    fail["times"] = fail.get("times", 1) - 1
                    return self.send(fail["status"], fail.get("body", {"error": {"message": "not now"}}), fail.get("headers"))
                status, answer, headers = service.answer(self.command, parts.path, query, self.headers, body)
                service.save()
                if "drop_after" in service.control:
                    service.control["drop_after"] -= 1
                    if service.control["drop_after"] == 0:
                        del service.control["drop_after"]
                        self.close_connection = True
                        return None
            return self.send(status, answer, headers)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

    return Handler


def serve(kind):
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--state")
    arguments.add_argument("--port", type=int, default=0)
    given = arguments.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", given.port), handler(kind(given.state)))
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
