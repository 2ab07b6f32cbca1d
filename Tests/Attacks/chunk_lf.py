"""A chunked body whose chunk lines end with a bare LF (RFC 9112 2.2, 7.1: only CRLF) hides no request: it is refused, or nothing
behind it is read, because the connection ends with its response. libmicrohttpd 0.9.75 shows nobody the lines of chunks."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
put("jobs/h.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/hooks/h", scheme = "none" }, overlap={queue=1000} }\n')
s = Serve(); r = []
H = b"POST /hooks/h HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
BEHIND = b"GET /behind HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
for b in (b"2\n{}\n0\n\n", b"2;a\n{}\r\n0\r\n\r\n", b"2\r\n{}\n0\r\n\r\n", b"2;\x00\r\n{}\r\n0\r\n\r\n", b"2;a\rb\r\n{}\r\n0\r\n\r\n", b'2;a="\n{}\r\n0\r\n\r\n', b"2\r\n{}\r\n0\r\nX: y\nZ: 1\r\n\r\n", b"2\r{}\r\n0\r\n\r\n", b"000000000000000000000002\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\r\n0;a\n\r\n", b"2\r\n{}\r\n0\r\nX\0: y\r\n\r\n"):
    r.append((b, s.raw(s.hp, H + b + BEHIND, 3)))
right = s.raw(s.hp, H + b"2;x=1\r\n{}\r\n0\r\n\r\n", 3)
s.stop()
second = [(b, a) for b, a in r if a.count(b"HTTP/1.1 ") > 1 or b" 202" in a and b"Connection: close" not in a]
verdict(second or b" 202" not in right, f"two answers or an open connection: {second} right {right[:20]}")
