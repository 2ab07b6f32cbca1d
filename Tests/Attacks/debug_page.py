"""debug --listen: a page in a browser sends a request of HTTP to the port. Its body is no message, and nothing is answered."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
put("d.lua", 'print "x"\n'); bad = []
for head in ("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\nOrigin: https://evil.example", "Content-Length: 2\r\nContent-Length: {}", "X: y\r\nContent-Length: {}"):
    port = freeport(); p = subprocess.Popen([BIN, "--local", "debug", "--listen", str(port), "d.lua"], cwd=ROOT + "/work", env=env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    p.stdout.readline(); s = socket.create_connection(("127.0.0.1", port), 10); body = b'{"seq":1,"type":"request","command":"launch","arguments":{}}'; out = b""
    s.sendall(head.format(len(body)).encode() + b"\r\n\r\n" + body)
    try:
        while b"}" not in out and (x := s.recv(4096)): out += x
    except OSError: pass
    s.close(); p.kill(); p.wait()
    if b'"success":true' in out: bad.append((head[:30], out[:120]))
verdict(bad, bad)
