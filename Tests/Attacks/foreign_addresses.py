"""A hostile provider on the internet leads conform provider, init and a sign-in to no private address: not by a redirect, a document, an endpoint or a name. In a network namespace of its own."""
import os, subprocess, sys
if "B2C_NAMESPACE" not in os.environ:
    if subprocess.run(["unshare", "-rnm", "true"], stderr=subprocess.DEVNULL).returncode: print("HELD foreign_addresses.py (not tried: no namespaces here)"); sys.exit(0)
    os.execvpe("unshare", ["unshare", "-rnm", sys.executable, *sys.argv], {**os.environ, "B2C_NAMESPACE": "1"})
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
PUBLIC, PRIVATE, LINK = "203.0.113.5", "10.1.2.3", "169.254.169.254"
sh = lambda *a: subprocess.run(a, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
sh("ip", "link", "set", "lo", "up")
for a in (PUBLIC, PRIVATE, LINK): sh("ip", "addr", "add", a + "/32", "dev", "lo")
put("hosts", f"127.0.0.1 localhost\n{PRIVATE} keys.evil.test\n{PUBLIC} public.test\n"); sh("mount", "--bind", ROOT + "/work/hosts", "/etc/hosts")
sh("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x", "-keyout", ROOT + "/k.pem", "-out", ROOT + "/c.pem", "-addext", f"subjectAltName=IP:{PUBLIC},IP:{PRIVATE},IP:{LINK},IP:127.0.0.1,DNS:keys.evil.test,DNS:public.test")
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); tls.load_cert_chain(ROOT + "/c.pem", ROOT + "/k.pem")
hits = []
def inner(r): hits.append((r.headers.get("Host"), r.method, r.path)); return js({"keys": [JWK], "access_token": "x", "client_id": "c", "issuer": "x"})
inside = {a: Server(inner, a, tls) for a in (PRIVATE, LINK, "127.0.0.1")}
targets = [s.url for s in inside.values()] + [f"https://keys.evil.test:{inside[PRIVATE].port}"]
state = {}
def outer(r):
    u = op.url; t = state.get("to") or u
    if ".well-known" in r.path:
        if state.get("redirect"): return 302, [("Location", t + "/.well-known/openid-configuration")], b""
        m = {"issuer": u, "authorization_endpoint": u + "/authorize", "token_endpoint": u + "/token", "jwks_uri": u + "/keys", "registration_endpoint": u + "/register", "response_types_supported": ["code"], "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"]}
        if state.get("member"): m[state["member"]] = t + "/secret"
        return js(m)
    if r.path.startswith("/authorize"): return 302, [("Location", r.query["redirect_uri"] + "?code=c&state=" + r.query.get("state", ""))], b""
    if r.path == "/keys" and state.get("keys"): return 302, [("Location", t + "/keys")], b""
    now = int(time.time())
    if r.path == "/token": return js({"access_token": "a", "token_type": "Bearer", "id_token": sign({"iss": u, "aud": "c", "sub": "s", "iat": now, "exp": now + 600})})
    if r.path == "/register": return js({"client_id": "c"}, 201)
    return js({"keys": [JWK]})
op = Server(outer, PUBLIC, tls); ca = ("--cacert", ROOT + "/c.pem"); bad = []; seen = 0; says = []
def attack(name, *a, **how):
    global seen
    state.clear(); state.update(how); before = len(op.log); out = run(*ca, *a)
    seen += len(op.log) > before
    if hits or crashed(out[0], out[2]): bad.append((name, how, list(hits), out[2][-200:] if not hits else "")); hits.clear()
    if len(op.log) == before: bad.append((name, how, "the provider was not asked", out[1:]))
    says.append((out[1] + out[2])[-120:])
for t in targets:
    attack("conform", "conform", "provider", op.url, "--passive", redirect=1, to=t)
    attack("conform", "conform", "provider", op.url, "--passive", member="jwks_uri", to=t)
    attack("conform", "conform", "provider", op.url, "--passive", keys=1, to=t)
    if LINK in t: continue
    attack("register", "conform", "provider", op.url, "--active", "--register", member="registration_endpoint", to=t)
    attack("init", "init", op.url, "--register", "--no-sign-in", "--file", "a.json", "--replace", redirect=1, to=t)
    attack("init", "init", op.url, "--register", "--no-sign-in", "--file", "a.json", "--replace", member="registration_endpoint", to=t)
    put("s.json", json.dumps({"clientID": "c", "authority": op.url, "redirectURL": "http://localhost", "scopes": ["openid"]})); put("s.lua", SIGN_IN)
    for m in ("token_endpoint", "jwks_uri"): attack("sign-in", "--settings", "s.json", "-A", "s.lua", member=m, to=t)
state.clear(); state["member"] = "jwks_uri"; state["to"] = f"https://public.test:{op.port}"
last = run(*ca, "conform", "provider", op.url, "--passive"); right = any(l[1] == "/secret" for l in op.log)   # another public name is allowed
named = run(*ca, "conform", "provider", inside[PRIVATE].url, "--passive"); own = len(hits)   # a person may name a private server
verdict(bad or not own or not right, f"{says[6:9]} {bad[:3]} {len(bad)} of {len(says)}; public {right} {'' if right else last[1:]}, named {own} {named[2][-150:] if not own else ''} {says[:2] if bad else ''}")
