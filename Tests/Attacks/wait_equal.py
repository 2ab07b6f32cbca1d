"""run.wait_for: two paths of different bytes (NFC, NFD) are two paths."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
put("jobs/a.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { start = true } }\nlocal a = run.wait_for { webhook = "/e\\u{301}", timeout = "1h" }\nprint(a and a.body)')
s = Serve(); time.sleep(2); r = s.raw(s.hp, b"POST /%C3%A9 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nConnection: close\r\n\r\nz")[9:12]; s.stop()
verdict(r != b"404", f"POST /%C3%A9 to a wait at /e%CC%81: {r}")
