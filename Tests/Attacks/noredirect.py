"""An application that registers without redirect_uris cannot be sent anywhere."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import http.client
port = freeport()
p = subprocess.Popen([BIN, "tenant", "--port", str(port)], env=env(), cwd=ROOT, stdout=open(ROOT + "/t.out", "wb"), stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
def rq(m, path, body=None, h={}):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=20); c.request(m, path, body, h); r = c.getresponse(); return r.status, r.read(), dict(r.getheaders())
for _ in range(100):
    try: socket.create_connection(("127.0.0.1", port), 1).close(); break
    except OSError: time.sleep(.1)
time.sleep(1); pth = "/contoso.onmicrosoft.com/b2c_1_susi"
md = json.loads(rq("GET", pth + "/v2.0/.well-known/openid-configuration")[1]); rp = "/" + md["registration_endpoint"].split("/", 3)[3]
res = []; bad = []
for m in ({"token_endpoint_auth_method": "none"}, {"token_endpoint_auth_method": "none", "redirect_uris": None}, {"token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"]}, {"token_endpoint_auth_method": "none", "grant_types": ["implicit"], "response_types": ["id_token"]}):
    st, b, _ = rq("POST", rp, json.dumps(m), {"Content-Type": "application/json"}); 
    if st == 201:
        cid = json.loads(b)["client_id"]; ap = "/" + md["authorization_endpoint"].split("/", 3)[3]; us = {}
        for u in ("https://evil.example/cb", "http://localhost:5/cb", "javascript:alert(1)"):
            s2, page, h = rq("GET", ap + ("&" if "?" in ap else "?") + up.urlencode({"client_id": cid, "redirect_uri": u, "response_type": "code", "scope": "openid", "state": "s", "nonce": "n", "code_challenge": "x" * 43, "code_challenge_method": "S256"}))
            us[u] = (s2, h.get("Location"), b"password" in page.lower())
        bad.append((m, us))
p.terminate(); p.wait(10)
verdict(bad, bad)
