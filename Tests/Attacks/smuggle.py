"""HTTP smuggling at hooks and pages: no request with two meanings may be taken (202/200) and none may start two runs."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
put("jobs/h.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/hooks/h", scheme = "none" }, overlap={queue=1000} }\n')
s = Serve()
H = b"Host: 127.0.0.1\r\nConnection: close\r\n"
bad = {
 "cl+te": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
 "cl plus": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Content-Length: +2\r\n\r\n{}",
 "cl list": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Content-Length: 2, 2\r\n\r\n{}",
 "cl hex": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Content-Length: 0x2\r\n\r\n{}",
 "cl neg": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Content-Length: -2\r\n\r\n{}",
 "cl big": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Content-Length: 18446744073709551618\r\n\r\n{}",
 "cl space": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Content-Length : 2\r\n\r\n{}",
 "cl empty": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Content-Length:\r\n\r\n",
 "te xchunked": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
 "te 2": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
 "te vt": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
 "te empty": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding:\r\n\r\n",
 "te 1.0": b"POST /hooks/h HTTP/1.0\r\n"+H+b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
 "chunk neg": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n",
 "chunk plus": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n",
 "chunk 0x": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
 "chunk sp": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: chunked\r\n\r\n2 \r\n{}\r\n0\r\n\r\n",
 "chunk lf": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n",
 "chunk ext lf": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: chunked\r\n\r\n2;a\n{}\r\n0\r\n\r\n",
 "chunk big": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: chunked\r\n\r\n10000000000000002\r\n{}\r\n0\r\n\r\n",
 "chunk nodata": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n",
 "lf only": b"POST /hooks/h HTTP/1.1\nHost: x\nContent-Length: 2\n\n{}",
 "fold": b"POST /hooks/h HTTP/1.1\r\n"+H+b"X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
 "lead sp": b"POST /hooks/h HTTP/1.1\r\n Host: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}",
 "2 host": b"POST /hooks/h HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}",
 "0 host": b"POST /hooks/h HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
 "bare cr": b"POST /hooks/h HTTP/1.1\r\n"+H+b"X: a\rY: b\r\nContent-Length: 2\r\n\r\n{}",
 "nul": b"POST /hooks/h HTTP/1.1\r\n"+H+b"X: a\0b\r\nContent-Length: 2\r\n\r\n{}",
 "nul path": b"POST /hooks/h\0x HTTP/1.1\r\n"+H+b"Content-Length: 2\r\n\r\n{}",
 "tab path": b"POST\t/hooks/h\tHTTP/1.1\r\n"+H+b"Content-Length: 2\r\n\r\n{}",
 "v2": b"POST /hooks/h HTTP/2.0\r\n"+H+b"Content-Length: 2\r\n\r\n{}",
 "v1.9": b"POST /hooks/h HTTP/1.9\r\n"+H+b"Content-Length: 2\r\n\r\n{}",
 "v11": b"POST /hooks/h HTTP/1.11\r\n"+H+b"Content-Length: 2\r\n\r\n{}",
 "sp ver": b"POST /hooks/h  HTTP/1.1\r\n"+H+b"Content-Length: 2\r\n\r\n{}",
 "name colonless": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Foo\r\nContent-Length: 2\r\n\r\n{}",
 "utf8 name": b"POST /hooks/h HTTP/1.1\r\n"+H+"Content\u2010Length: 2\r\nContent-Length: 2\r\n\r\n{}".encode(),
 "abs uri": b"POST http://evil/hooks/h HTTP/1.1\r\n"+H+b"Content-Length: 2\r\n\r\n{}",
 "cl 2 same": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
 "cl long0": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Content-Length: "+b"0"*30+b"2\r\n\r\n{}",
 "trailer cl": b"POST /hooks/h HTTP/1.1\r\n"+H+b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nContent-Length: 9\r\nHost: z\r\n\r\n",
}
res = {}
for port in (s.hp,):
    for k, v in bad.items():
        # The library writes the head of its own refusals twice; a second answer of the server is no refusal.
        o = s.raw(port, v, 3); res[k] = o.split(b"\r\n")[0].decode("latin1") + ("" if o.count(b"HTTP/1.1 2") + o.count(b"HTTP/1.1 404") < 2 else " TWO")
taken = [k for k, r in res.items() if " 202" in r]
alive = s.alive(); s.stop()
# chunk_lf.py tests that nothing behind the body of these two is read.
ok = {"cl long0", "v1.9", "abs uri", "trailer cl", "chunk lf", "chunk ext lf"}
verdict(not alive or any("TWO" in r for r in res.values()) or set(taken) - ok, f"taken {taken}; all {res}")
