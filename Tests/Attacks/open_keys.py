"""Files with secrets that others can write are refused, with a hint: private keys, client secrets, tokens, secrets to keep. Public keys, pipes and private files are taken."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
pem = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], capture_output=True, text=True).stdout
public = subprocess.run(["openssl", "pkey", "-pubout"], input=pem, capture_output=True, text=True).stdout
for n, t in (("key.pem", pem), ("public.pem", public), ("secret", "s3cret\n"), ("token", "a.b.c\n"), ("cert.pem", "-----BEGIN CERTIFICATE-----\n"), ("key.json", json.dumps({"kty": "oct", "k": "A" * 43}))): put(n, t)
os.makedirs(ROOT + "/work/jobs")
put("s.json", json.dumps({"clientID": "c", "redirectURL": "http://localhost", "clientKey": "key.pem", "clientAuthentication": "private_key_jwt", "tokenURL": "http://127.0.0.1:9/t"}))
cases = {
    "jose": ("key.pem", ("-A", "-e", 'print(require "b2c".jose.key.load { file = "key.pem" })')),
    "jwk": ("key.json", ("-A", "-e", 'print(require "b2c".jose.key.load { file = "key.json" })')),
    "clientKey": ("key.pem", ("--settings", "s.json", "-A", "-e", 'require "b2c".accounts.sign_in { flow = "client_credentials", scopes = { "x" } }')),
    "clientSecret": ("secret", ("--set", "clientSecret=@secret", "-e", "print(1)")),
    "secrets": ("secret", ("secrets", "set", "name", "--from", "secret")),
    "token": ("token", ("conform", "api", "http://127.0.0.1:9/", "--token-file", "token", "--timeout", "1")),
    "serve": ("key.pem", ("serve", "--hooks", f"127.0.0.1:{freeport()}", "--certificate", "cert.pem", "--key", "key.pem")),
}
bad = []
for name, (file, words) in cases.items():
    for mode in (0o666, 0o602):
        os.chmod(ROOT + "/work/" + file, mode); r = run(*words, timeout=30)
        if f"chmod 600 '" not in r[1] + r[2] or r[0] == 0: bad.append((name, oct(mode), r[0], (r[1] + r[2])[-160:]))
    for mode in (0o600, 0o644):
        os.chmod(ROOT + "/work/" + file, mode); r = run(*words, timeout=30)
        if "chmod 600" in r[1] + r[2]: bad.append((name, oct(mode), r[2][-160:]))
os.chmod(ROOT + "/work/public.pem", 0o644); r = run("-A", "-e", 'print(require "b2c".jose.key.public { file = "public.pem" })')
if r[0]: bad.append(("public", r[2][-200:]))
r = run("--set", "clientSecret=@/dev/stdin", "-e", "print(1)", stdin=b"s\n")
if r[0]: bad.append(("pipe", r[2][-200:]))
verdict(bad, f"{bad[:4]} {len(bad)}")
