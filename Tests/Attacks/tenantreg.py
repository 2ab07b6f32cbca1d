"""Registrations at the tenant: markup in names, odd addresses, sizes."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
port = freeport()
p = subprocess.Popen([BIN, "tenant", "--port", str(port)], env=env(), cwd=ROOT, stdout=open(ROOT + "/t.out", "wb"), stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
import http.client, plistlib
def rq(m, path, body=None, h={}):
    try:
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=20); c.request(m, path, body, h); r = c.getresponse(); return r.status, r.read()
    except (BrokenPipeError, ConnectionResetError): return 413, b"{}"

for _ in range(100):
    try: socket.create_connection(("127.0.0.1", port), 1).close(); break
    except OSError: time.sleep(.1)
time.sleep(1)
out = open(ROOT + "/t.out").read()
auth = re.search(r"http://[^<\s\"]+", out[out.find("authority"):] or out)
md = None
tried = []
for base in {u.rstrip("/") for u in re.findall(r"http://[^<\s\"]+", out)}:
    pth = "/" + base.split("/", 3)[3] if base.count("/") > 2 else ""
    st, b = rq("GET", pth + "/v2.0/.well-known/openid-configuration"); tried.append((base, st))
    if st == 200: md = json.loads(b); break
if not md: p.terminate(); verdict(True, "no metadata " + out[-800:] + str(tried))
reg = md.get("registration_endpoint"); rp = "/" + reg.split("/", 3)[3]
bad = []; ok = []
X = '"><script>alert(1)</script>\x1b[2J'
def r(m): 
    st, b = rq("POST", rp, json.dumps(m), {"Content-Type": "application/json"}); return st, b
G = {"redirect_uris": ["http://localhost:1/cb"], "token_endpoint_auth_method": "none"}
cases = {
 "data": {"redirect_uris": ["data:text/html,x"]}, "js.dot": {"redirect_uris": ["javascript.x:alert(1)"]}, "js": {"redirect_uris": ["javascript:alert(1)//."]}, "JS tab": {"redirect_uris": ["java\tscript.:x"]}, "vb": {"redirect_uris": ["vbscript:x"]},
 "ctl": {"redirect_uris": ["https://a.example/\r\nSet-Cookie: x=1"]}, "userinfo": {"redirect_uris": ["https://a@b.example/"]}, "wild": {"redirect_uris": ["https://*.example/"]}, "http evil": {"redirect_uris": ["http://localhost.evil.example/"]}, "http 127.": {"redirect_uris": ["http://127.0.0.1.evil.example/"]}, "http @": {"redirect_uris": ["http://127.0.0.1@evil.example/"]}, "bs": {"redirect_uris": ["http://localhost\\@evil.example/"]}, "bs2": {"redirect_uris": ["https://a.example\\.evil.com/"]},
 "frag": {"redirect_uris": ["https://a.example/#x"]}, "rel": {"redirect_uris": ["//a.example/"]}, "many": {"redirect_uris": [f"https://a.example/{i}" for i in range(100000)]}, "num": {"redirect_uris": [1]}, "str": {"redirect_uris": "https://a.example"}, "empty": {"redirect_uris": [""]}, "none": {"redirect_uris": None, "grant_types": ["authorization_code"]},
 "own": {**G, "client_id": "x", "client_secret": "y", "registration_access_token": "z"}, "pct": {"redirect_uris": ["https://a%2eexample/"]}, "ip6": {"redirect_uris": ["http://[::1%25evil]/"]}, "dec": {"redirect_uris": ["http://2130706433/"]}, "0x": {"redirect_uris": ["http://0x7f.1/"]}, "nohost": {"redirect_uris": ["https:///x"]}, "port": {"redirect_uris": ["https://a.example:99999/"]}, "file": {"redirect_uris": ["file.x:///etc/passwd"]}, "blob": {"redirect_uris": ["blob:https://a.example/x"]}, "kelvin": {"redirect_uris": ["http://loc\u0430lhost/"]}, "ls": {"redirect_uris": ["https://a.example/\u2028"]}, "msal": {"redirect_uris": ["msal" + "-" * 36 + "://x"]},
}
acc = {}
for k, m in cases.items():
    st, b = r({"token_endpoint_auth_method": "none", **m})
    acc[k] = st
    print(k, st, b[:150])
    if st >= 500: bad.append((k, st, b[:200]))
bad += [(k, "accepted") for k in acc if acc[k] == 201 and k not in ("own", "many", "port", "msal", "js.dot", "file", "pct", "none")]
st, b = r({**G, "client_name": X, "logo_uri": "https://a.example/" + "x" * 1000, "scope": X})
cid = json.loads(b).get("client_id") if st == 201 else None
if cid:
    ap = "/" + md["authorization_endpoint"].split("/", 3)[3]
    st2, page = rq("GET", ap + ("&" if "?" in ap else "?") + up.urlencode({"client_id": cid, "redirect_uri": "http://localhost:1/cb", "response_type": "code", "scope": "openid " + X, "state": X, "nonce": X, "ui_locales": X, "login_hint": X, "domain_hint": X, "prompt": "login", "code_challenge": "x" * 43, "code_challenge_method": "S256"}))
    if b"<script>alert" in page: bad.append(("xss in the sign-in page", page[:300]))
    st3, page3 = rq("GET", ap + ("&" if "?" in ap else "?") + up.urlencode({"client_id": cid + X, "redirect_uri": X, "response_type": X}))
    if b"<script>alert" in page3: bad.append(("xss in the error page", page3[:300]))
st, b = r({**G, "client_name": "x", "jwks": {"keys": [{"kty": "RSA", "n": "AQ", "e": "AQ"}] * 20000}}); acc["keys"] = st
st, b = r({"token_endpoint_auth_method": "none", "redirect_uris": ["http://localhost/cb"], "client_name": "x" * 900000}); acc["bigname"] = st
alive = p.poll() is None; t = open(ROOT + "/t.out", errors="replace").read()
if "\x1b[2J" in t: bad.append("escape in the tenant's output")
p.terminate(); p.wait(10)
verdict(bad or not alive, f"{bad} alive {alive} {acc}")
