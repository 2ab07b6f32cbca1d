"""Pages with sign-in: forged tokens, foreign audience, open redirect, cookies of others, CSRF, names with markup."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import http.client
X = "<script>alert(1)</script>\x1b[2J"
op = OP(claims=lambda c: {**c, "sub": "boss", "name": X})
s = Serve.__new__(Serve); put("jobs/j.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { every = "9h" } }')
lp = freeport()
put("pages.json", json.dumps({"clientID": "client", "authority": op.s.url, "redirectURL": f"http://localhost:{lp}/signed-in", "scopes": ["openid"]}))
log = ROOT + "/serve.log"
p = subprocess.Popen([BIN, "serve", "--listen", f"127.0.0.1:{lp}", "--sign-in", "pages.json", "--allow-subject", "boss"], env=env(), cwd=ROOT + "/work", stdin=subprocess.DEVNULL, stdout=open(log, "wb"), stderr=subprocess.STDOUT)
def rq(m, path, body=None, **h):
    c = http.client.HTTPConnection("127.0.0.1", lp, timeout=10); hd = {"Host": f"localhost:{lp}"}; hd.update({k.replace("_", "-"): v for k, v in h.items()}); c.request(m, path, body, hd); r = c.getresponse(); return r.status, r.read(), r.getheaders()
for _ in range(100):
    try:
        if rq("GET", "/readyz")[0] == 200: break
    except OSError: pass
    time.sleep(.1)
bad = []; res = {}
def chk(name, ok, got): res[name] = got if not isinstance(got, bytes) else got[:80]; (None if ok else bad.append((name, res[name])))
now = int(time.time()); base = {"scope": "x", "iss": op.issuer, "sub": "boss", "aud": "client", "iat": now, "exp": now + 600}
def tok(c={}, h=None, **k): return sign({**base, **c}, h)
def api(t): return rq("GET", "/api/jobs", Authorization="Bearer " + t)[0]
good = api(tok(h={"alg": "RS256", "kid": "k1", "typ": "at+jwt"})); res["good"] = good
for n, t in {"other aud": tok({"aud": "other"}), "no aud": sign({k: v for k, v in base.items() if k != "aud"}), "other sub": tok({"sub": "x"}), "sub list": tok({"sub": ["boss"]}), "expired": tok({"exp": now - 600}), "no exp": sign({k: v for k, v in base.items() if k != "exp"}), "other iss": tok({"iss": "http://evil"}), "nbf": tok({"nbf": now + 9999}), "exp str": tok({"exp": "9999999999"}), "exp 1e300": sign(json.dumps({**base})[:-1] + ', "exp": 1e300}'), "dup sub": sign('{"sub":"x",' + json.dumps(base)[1:]),
  "none": b64({"alg": "none"}) + "." + b64(base) + ".", "hs": (lambda hb: hb + "." + b64(__import__("hmac").new(json.dumps(JWK).encode(), hb.encode(), "sha256").digest()))(b64({"alg": "HS256", "kid": "k1"}) + "." + b64(base)), "crit": tok(h={"alg": "RS256", "kid": "k1", "crit": ["x"]}), "b64 false": tok(h={"alg": "RS256", "kid": "k1", "b64": False, "crit": ["b64"]}), "jwk head": tok(h={"alg": "RS256", "jwk": JWK, "kid": "zz"}), "logout token": tok({"events": {"http://schemas.openid.net/event/backchannel-logout": {}}}, h={"alg": "RS256", "kid": "k1", "typ": "logout+jwt"}), "id token": tok({"nonce": "n", "at_hash": "x"}), "empty": "", "huge": "a" * 30000}.items():
    st = api(t); chk("api " + n, st in (401, 403, 400, 431, 413), st)
def login(target, tweak=None, cookie_tweak=None, browser=None):
    st, b, h = rq("GET", target); loc = dict(h).get("Location", ""); ck = [v for k, v in h if k == "Set-Cookie"]
    if loc.startswith("/sign-in"): st, b, h = rq("GET", loc); loc = dict(h).get("Location", ""); ck = [v for k, v in h if k == "Set-Cookie"]
    if not loc: # page with a link
        m = re.search(rb'href="(/sign-in[^"]*)"', b); 
        if m:
            import html; st, b, h = rq("GET", html.unescape(m.group(1).decode())); loc = dict(h).get("Location", ""); ck = [v for k, v in h if k == "Set-Cookie"]
    if not loc.startswith(op.s.url): return st, b[:200], h, None
    c = http.client.HTTPConnection("127.0.0.1", op.s.port); c.request("GET", loc[len(op.s.url):]); r = c.getresponse(); back = r.getheader("Location"); r.read()
    q = back[back.index("/signed-in"):]; cookie = "; ".join(x.split(";")[0] for x in ck)
    if tweak: q = tweak(q)
    if cookie_tweak is not None: cookie = cookie_tweak(cookie)
    st, b, h = rq("GET", q, Cookie=cookie); return st, b, h, cookie
st, b, h, ck = login("/"); sess = "; ".join(v.split(";")[0] for k, v in h if k == "Set-Cookie" and not v.split(";")[0].endswith("=")); res["login"] = (st, dict(h).get("Location"), [v for k, v in h if k == "Set-Cookie"])
st, page, _ = rq("GET", "/", Cookie=sess); chk("page", st == 200 and b"<script>alert" not in page, (st, b"<script>alert" in page, page[:100])) 
for t in ("//evil.example/", "/\\evil.example/", "/%0d%0aX:y", "/jobs/..//evil.example", "///evil.example", "/.//evil.example", "http://evil.example/", "/%5cevil.example", "/\t/evil.example".replace("\t", "%09")):
    try: st, b, h, _ = login(t)
    except Exception as e: res["redir " + t] = repr(e)[:80]; continue
    loc = dict(h).get("Location") or ""
    chk("redir " + t, not (loc.startswith("//") or loc.startswith("/\\") or "evil" in loc.split("/")[2:3] or loc.startswith("http://evil")), (st, loc))
st, b, h, _ = login("/", tweak=lambda q: re.sub(r"state=[^&]*", "state=x", q)); chk("state", not any("b2c-run=" in v for k, v in h if k == "Set-Cookie"), st)
st, b, h, _ = login("/", cookie_tweak=lambda c: ""); chk("no cookie", not any("b2c-run=" in v and not v.startswith("b2c-run=;") for k, v in h if k == "Set-Cookie"), st)
# CSRF
for hd in ({}, {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}):
    st = rq("POST", "/jobs/j/run", "x=1", Cookie=sess, Content_Type="application/x-www-form-urlencoded", **hd)[0]; chk("csrf " + str(hd), st >= 400, st)
    st = rq("POST", "/api/jobs/j/run", "{}", Cookie=sess, Content_Type="text/plain", **hd)[0]; chk("csrf api " + str(hd), st >= 400, st)
st = rq("POST", "/api/jobs/j/run", "{}", Cookie=sess, Content_Type="application/json", Origin="http://evil.example")[0]; res["api json foreign origin"] = st
for hh in ("evil.example", f"localhost:{lp}.evil", "localhost", f"127.0.0.1:{lp}", f"LOCALHOST:{lp}", f"localhost:{lp}/x", ""): res["host " + hh] = rq("GET", "/", Cookie=sess, Host=hh)[0]
chk("host evil", res["host evil.example"] in (400, 421) and res[f"host localhost:{lp}.evil"] in (400, 421), res["host evil.example"])
alive = p.poll() is None; lg = open(log, errors="replace").read(); chk("log escapes", "\x1b[2J" not in lg, "")
p.terminate(); p.wait(30)
verdict(bad or not alive or good != 200, f"bad {bad} alive {alive} good {good} login {res.get('login')} {lg[-300:] if good != 200 else ''} api json foreign {res['api json foreign origin']}")
