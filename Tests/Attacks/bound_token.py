"""mcp --listen: a token that is bound to a key (cnf) and comes without the proof of the key is refused, as a thief would send it."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from agent import *
import http.client
op = OP(); op.settings(); os.makedirs(ROOT + "/work/agent"); port = freeport()
p = subprocess.Popen([BIN, "--local=data.json", "mcp", "agent", "--listen", str(port), "--sign-in", "settings.json", "--allow-subject", "alice-1"], cwd=ROOT + "/work", env=env(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE); p.stderr.readline()
def status(**more):
    now = int(time.time()); token = sign({"iss": op.issuer, "sub": "alice-1", "aud": "client", "iat": now, "exp": now + 600, "scp": "tasks", **more})
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=20); begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    c.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}), {"Content-Type": "application/json", "Authorization": "Bearer " + token}); return c.getresponse().status
found = status(), status(cnf={"jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}), status(cnf={"x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"})
p.terminate(); p.wait(10); verdict(found != (200, 401, 401), f"unbound, jkt, x5t: {found}")
