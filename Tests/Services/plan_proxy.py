"""A proxy between the program and a task service, for plan_drill.py: it notes each request that reaches the service, and kills the
program at a request, before the request arrives or before its answer does.
"""

import http.client
import json
import os
import re
import signal
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Write:
    """A write of one task: a new one if `task` is nil."""

    def __init__(self, task, condition=None, is_removal=False):
        self.task, self.condition, self.is_removal = task, condition, is_removal


def task_writes(kind, method, path, headers, body):
    """The writes of a request; none for one that only reads."""
    path = urllib.parse.unquote(urllib.parse.urlsplit(path).path)
    condition = headers.get("If-Match")
    if kind in ("radicale", "xandikos"):
        if method == "PUT" and headers.get("If-None-Match") == "*":
            return [Write(None)]
        return [Write(path, condition, method == "DELETE")] if method in ("PUT", "DELETE", "MOVE") else []
    if kind == "todoist":
        form = dict(urllib.parse.parse_qsl(body.decode())) if path.endswith("/sync") else {}
        commands = [c for c in json.loads(form.get("commands", "[]")) if c["type"].startswith("item_")]
        new = {c.get("temp_id") for c in commands}
        return [Write(None if c["type"] == "item_add" or c["args"]["id"] in new else c["args"]["id"], None,
                      c["type"] == "item_delete") for c in commands]
    if path.endswith("/$batch"):
        return [write for one in json.loads(body)["requests"] for write in
                task_writes(kind, one["method"], one["url"], one.get("headers") or {}, json.dumps(one.get("body")).encode())]
    found = re.search(r"/tasks(?:/([^/]+))?(/linkedResources.*)?$", path)
    if method not in ("POST", "PATCH", "DELETE") or not found:
        return []
    # A linked resource has no version: the program reads the task before it changes it.
    return [] if found[2] else [Write(found[1], condition, method == "DELETE")]


def read_task(kind, method, path):
    """The ID of the task that a request reads alone; None for other requests."""
    found = re.search(r"/tasks/([^/?]+)$", urllib.parse.unquote(urllib.parse.urlsplit(path).path))
    return found[1] if method == "GET" and found and kind == "todoist" else None


class Proxy:
    """Forwards to `target`. `log` has the entries (run, status, writes, ID that was read) of requests that the service answered."""

    def __init__(self, kind, target):
        self.kind, self.target = kind, urllib.parse.urlsplit(target)
        self.lock = threading.Lock()
        self.log, self.run = [], 0
        self.process, self.left, self.is_late, self.was_killed = None, None, False, False
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def watch(self, process, writes, is_late):
        """Kills a process at its request with that write: before the service gets it, or, if `is_late`, when it is done."""
        with self.lock:
            self.run += 1
            self.process, self.left, self.is_late, self.was_killed = process, writes, is_late, False

    def counts(self, writes):
        """True if a request with so many writes is the one to kill at."""
        with self.lock:
            if self.process is None or self.left is None or not writes:
                return False
            self.left -= writes
            if self.left > 0:
                return False
            self.left = None
            return True

    def kill(self):
        with self.lock:
            if self.process is not None and self.process.poll() is None:
                self.was_killed = True
                os.kill(self.process.pid, signal.SIGKILL)

    def handler(proxy):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            upstream = None

            def log_message(self, *_):
                pass

            def handle(self):
                try:
                    super().handle()
                except ConnectionError:
                    # The program was killed.
                    pass

            def forward(self, body):
                for attempt in (1, 2):
                    self.upstream = self.upstream or http.client.HTTPConnection(proxy.target.hostname, proxy.target.port, timeout=120)
                    try:
                        self.upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                        for name, value in self.headers.items():
                            if name.lower() not in HOP_BY_HOP:
                                self.upstream.putheader(name, value.replace(proxy.url, proxy.target.geturl().rstrip("/")) if name == "Destination" else value)
                        if body or self.command in ("POST", "PUT", "PATCH"):
                            self.upstream.putheader("Content-Length", str(len(body)))
                        self.upstream.endheaders(body)
                        response = self.upstream.getresponse()
                        return response, response.read()
                    except (http.client.BadStatusLine, ConnectionError):
                        # The service has closed a connection that was idle.
                        self.upstream.close()
                        self.upstream = None
                        if attempt == 2:
                            raise

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                writes = task_writes(proxy.kind, self.command, self.path, self.headers, body)
                is_last, run = proxy.counts(len(writes)), proxy.run
                if is_last and not proxy.is_late:
                    proxy.kill()
                    self.close_connection = True
                    return
                response, answer = self.forward(body)
                with proxy.lock:
                    proxy.log.append((run, response.status, writes, read_task(proxy.kind, self.command, self.path)))
                if is_last:
                    proxy.kill()
                    self.close_connection = True
                    return
                try:
                    self.send_response_only(response.status)
                    for name, value in response.getheaders():
                        if name.lower() not in HOP_BY_HOP:
                            self.send_header(name, value)
                    if response.status not in (204, 304):
                        self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    if self.command != "HEAD":
                        self.wfile.write(answer)
                except ConnectionError:
                    self.close_connection = True

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_any
            do_PROPFIND = do_REPORT = do_MKCALENDAR = do_MKCOL = do_MOVE = handle_any

        return Handler

    def blind(self):
        """The writes to tasks that named no version, and that followed no read of the task in the same run."""
        read, found = set(), []
        for run, status, writes, task in self.log:
            if task is not None:
                read.add((run, task))
            for write in writes:
                if write.task is None or status >= 300:
                    continue
                if self.kind == "todoist":
                    if (run, write.task) not in read:
                        found.append(write.task)
                elif not write.condition or write.condition == "*":
                    found.append(write.task)
        return found
