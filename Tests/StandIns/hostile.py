"""A server that answers as it is told, also wrongly.

POST /_control takes a list of answers: `match` is a part of "METHOD /path", and `status`, `type`, `headers`, `body`, `repeat`
(of the body) and `times` are optional. @HOST@ in a body is the address of the server. GET /_control tells the requests:
the method, the path, and whether credentials came along.
"""

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

answers, seen = [], []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, headers, body):
        data = body.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/_control":
            if self.command == "POST":
                answers[:] = json.loads(body)
                seen.clear()
            return self.reply(200, {"Content-Type": "application/json"}, json.dumps(seen))
        seen.append([self.command, self.path, "Authorization" in self.headers])
        for answer in answers:
            if answer["match"] in f"{self.command} {self.path}" and answer.get("times", 99) > 0:
                answer["times"] = answer.get("times", 99) - 1
                text = answer.get("body", "") * answer.get("repeat", 1)
                headers = {"Content-Type": answer.get("type", "application/json"), **answer.get("headers", {})}
                text = text.replace("@HOST@", f"http://{self.headers.get('Host')}")
                return self.reply(answer.get("status", 200), headers, text)
        return self.reply(404, {}, "")

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_PROPFIND = do_REPORT = handle_any


arguments = argparse.ArgumentParser()
arguments.add_argument("--state")
arguments.add_argument("--port", type=int, default=0)
server = ThreadingHTTPServer(("127.0.0.1", arguments.parse_args().port), Handler)
server.serve_forever()
