"""A provider in `experiment --deviations`: its documents send no token in the clear, to another host or to this machine; and no secret is in the report."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
seen = []
proxy = Server(lambda r: (seen.append((r.method, r.path, r.headers.get("Authorization"))), js({"sub": "alice-1"}))[1])
PASSWORD = "the-password-0815"
def tokens(t, form): return {**t, "token_type": "DPoP" if op.dpop else "Bearer"}
op = OP(metadata=lambda m: {**m, "userinfo_endpoint": op.userinfo, "dpop_signing_alg_values_supported": ["ES256"], "scopes_supported": ["openid", "offline_access"]}, token=tokens); op.dpop = True
S = op.settings(); bad = []; res = {}
put("flow.lua", f'local b2c = require "b2c"\nb2c.accounts.sign_in {{ agent = "headless", username = "alice", password = "{PASSWORD}", dpop = true }}\n')
environment = env(http_proxy=proxy.url, no_proxy="127.0.0.1,localhost")
for name, address in {"in the clear": "http://userinfo.example/userinfo", "own": op.s.url + "/userinfo"}.items():
    op.userinfo = address; seen.clear(); page = ROOT + f"/work/{name.replace(' ', '')}.html"
    rc, o, e = run(*S, "-A", "experiment", "--deviations", "flow.lua", "--yes", "--json", "--report", page, env_=environment, timeout=150)
    try: found = {d["name"]: (d["outcome"], d.get("reason") or d.get("code")) for d in json.loads(o)["deviations"]}
    except ValueError: found = {}
    res[name] = (rc, found.get("proof_other_ath"), e[-200:], seen[:2])
    if crashed(rc, e) or rc: bad.append((name, rc, e[-300:]))
    if seen: bad.append((name, "a token in the clear", seen[:2]))
    text = (open(page, errors="replace").read() if os.path.exists(page) else "") + o + e
    for secret in [PASSWORD] + [f"at-{i}" for i in range(1, 60)] + [f"rt-{i}" for i in range(1, 60)] + [f"code-{i}" for i in range(1, 60)]:
        if re.search(rf"(?<![\w-]){re.escape(secret)}(?![\w-])", text): bad.append((name, "a secret in the report", secret)); break
verdict(bad, f"bad {bad} {res}")
