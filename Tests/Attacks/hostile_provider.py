"""conform provider and conform api against a hostile other side: endless redirects, bombs, huge lists, odd types, escapes. Each ends with a bounded output without control characters."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
ESC = "\x1b]0;pwn\x07\x1b[2J\u202e"; mode = ""; bad = []
def answer(r):
    u = op.url
    if ".well-known" in r.path:
        m = {"issuer": u, "authorization_endpoint": u + "/authorize", "token_endpoint": u + "/token", "jwks_uri": u + "/keys", "registration_endpoint": u + "/register", "response_types_supported": ["code"], "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"]}
        if mode == "redirects": return 302, [("Location", r.path + "x")], b""
        if mode == "deep": return js("[" * 200000)
        if mode == "members": return js("{" + ",".join(['"issuer":"x"'] * 100000) + ',"token_endpoint":"x"}')
        if mode == "lists": m["scopes_supported"] = ["s" * 100] * 6000; m["claims_supported"] = [ESC + "c" * 50] * 1000
        if mode == "huge": m["x"] = "x" * (3 << 20)
        if mode == "odd": m.update({k: [{"a": 1}, None, 1e308, -1][len(k) % 4] for k in list(m)[4:]})
        if mode == "addresses": m.update({k: a for k, a in zip(list(m)[1:5], ("file:///etc/passwd", "gopher://127.0.0.1:1/", "http://[::1", "javascript:alert(1)"))})
        return js(m)
    if mode == "escapes" or r.path.startswith("/api"): return 401, [("WWW-Authenticate", 'Bearer error="a", error_description="' + "z" * 60000 + '"')], json.dumps({"error": ESC, "error_description": ESC * 1000, "keys": [{"kty": ESC, "kid": ESC}]})
    if mode == "keys" and r.path == "/keys": return js({"keys": [{"kty": "RSA", "n": b64(b"\xff" * 200000), "e": "AQAB", "kid": "k"}, {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}, {"kty": "RSA", "n": "", "e": ""}, 5, None]})
    return js({"error": "invalid_request"}, 400)
op = Server(answer)
for mode in ("redirects", "deep", "members", "lists", "huge", "odd", "addresses", "escapes", "keys", "api"):
    words = ("conform", "api", op.url + "/api", "--active", "--timeout", "2") if mode == "api" else ("conform", "provider", op.url, "--passive", "--report", "r.html", "--junit", "r.xml")
    r = run(*words, timeout=60); out = r[1] + r[2]
    if crashed(r[0], r[2]) or len(out) > 60000 or any(c in out for c in "\x1b\x07\u202e"): bad.append((mode, r[0], len(out), out[-100:]))
    for f in ("r.html", "r.xml"):
        p = ROOT + "/work/" + f
        if os.path.exists(p) and (os.path.getsize(p) > 2 << 20 or any(c in open(p).read() for c in "\x1b\x07\u202e")): bad.append((mode, f, os.path.getsize(p)))
verdict(bad, f"{bad[:4]}")
