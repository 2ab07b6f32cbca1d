"""A chunked body whose chunk lines end with a bare LF (RFC 9112 2.2, 7.1: only CRLF) is refused, as header lines are."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
put("jobs/h.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/hooks/h", scheme = "none" }, overlap={queue=1000} }\n')
s = Serve(); r = []
H = b"POST /hooks/h HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
for b in (b"2\n{}\n0\n\n", b"2;a\n{}\r\n0\r\n\r\n", b"2\r\n{}\n0\r\n\r\n", b"2;\x00\r\n{}\r\n0\r\n\r\n", b"2;a\rb\r\n{}\r\n0\r\n\r\n", b'2;a="\n{}\r\n0\r\n\r\n', b"2\r\n{}\r\n0\r\nX: y\nZ: 1\r\n\r\n", b"2\r{}\r\n0\r\n\r\n", b"000000000000000000000002\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\r\n0;a\n\r\n", b"2\r\n{}\r\n0\r\nX\0: y\r\n\r\n"):
    r.append((b, s.raw(s.hp, H + b, 3)[:20]))
s.stop()
taken = [b for b, a in r if b"202" in a]
verdict([b for b in taken if not b.startswith(b"0000")], f"taken {taken}")
