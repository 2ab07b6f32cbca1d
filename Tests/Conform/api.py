"""A strict API for `conform api`, and with FAULT=NAME the same API with one mistake.

Usage: api.py PORT ISSUER JWKS_URL AUDIENCE
"""

import base64
import hashlib
import http.server
import json
import os
import sys
import time
import traceback
import urllib.parse
import urllib.request

import jwt

FAULTS = set(filter(None, os.environ.get("FAULT", "").split(",")))
PORT, ISSUER, JWKS_URL, AUDIENCE = int(sys.argv[1]), *sys.argv[2:5]
RS256 = jwt.get_algorithm_by_name("RS256")
PROOFS = set()


def has(fault):
    return fault in FAULTS


class Refusal(Exception):
    def __init__(self, status, code=None):
        self.status, self.code = status, code


class Keys:
    known = {}

    @classmethod
    def read(cls, url=JWKS_URL):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        return {key.get("kid"): key for key in json.load(opener.open(url, timeout=5))["keys"]}

    @classmethod
    def find(cls, kid):
        if kid not in cls.known and not (has("keys-once") and cls.known):
            cls.known = cls.read()
        if has("any-kid"):
            return next(iter(cls.known.values()))
        return cls.known.get(kid)


def decoded(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def signed_part(text):
    head, body, signature = text.split(".")
    return f"{head}.{body}".encode(), jwt.utils.base64url_decode(signature)


def verified(text):
    if has("no-signature"):
        return decoded(text.split(".")[1])
    parts = text.split(".")
    if len(parts) == 2 and has("cut"):
        return decoded(parts[1])
    if len(parts) != 3:
        raise Refusal(401, "invalid_token")
    header = decoded(parts[0])
    if not isinstance(header, dict):
        raise Refusal(401, "invalid_token")
    algorithm = header.get("alg")
    if has("none") and str(algorithm).lower() == "none":
        return decoded(parts[1])
    if "crit" in header and not has("crit"):
        raise Refusal(401, "invalid_token")
    key = None
    if has("jwk") and "jwk" in header:
        key = header["jwk"]
    elif has("jku") and "jku" in header:
        key = Keys.read(header["jku"]).get(header.get("kid"))
    if has("hmac") and algorithm == "HS256":
        return decoded(parts[1])
    if has("hmac-word") and algorithm == "HS256":
        import hmac
        message, signature = signed_part(text)
        if hmac.compare_digest(hmac.digest(b"secret", message, "sha256"), signature):
            return decoded(parts[1])
    if algorithm != "RS256":
        raise Refusal(401, "invalid_token")
    if has("needs-typ") and "typ" not in header:
        raise Refusal(401, "invalid_token")
    if has("typ-jwt") and header.get("typ", "JWT") != "JWT":
        raise Refusal(401, "invalid_token")
    if header.get("typ", "JWT") not in ("JWT", "at+jwt") and not has("any-typ"):
        raise Refusal(401, "invalid_token")
    key = key or Keys.find(header.get("kid"))
    if key is None:
        raise Refusal(401, "invalid_token")
    public = jwt.PyJWK(dict(key, alg="RS256")).key
    message, signature = signed_part(text)
    if not RS256.verify(message, public, signature):
        raise Refusal(401, "invalid_token")
    return decoded(parts[1])


def check(claims):
    invalid = Refusal(401, "invalid_token")
    now, skew = time.time(), 0 if has("no-skew") else 60
    if claims.get("iss") != ISSUER and not has("any-iss"):
        if not (has("iss-prefix") and str(claims.get("iss", "")).startswith(ISSUER)):
            raise invalid
    if claims.get("tid") != "0a7c1d52-6a54-4c1e-9d0b-3f2f5d1c8e40" and not has("any-tid"):
        raise invalid
    audience = claims.get("aud")
    if has("aud-text") and isinstance(audience, list):
        raise invalid
    if has("aud-if-there") and not audience:
        audience = AUDIENCE
    if AUDIENCE not in (audience if isinstance(audience, list) else [audience]) and not has("any-aud"):
        if not (has("aud-prefix") and str(audience).startswith(AUDIENCE)):
            raise invalid
    end = claims.get("exp", now + 60 if has("exp-optional") else None)
    if not has("any-exp"):
        if not isinstance(end, (int, float)) or end + skew < now:
            raise invalid
    if has("whole-seconds") and not isinstance(claims.get("iat"), int):
        raise invalid
    if claims.get("nbf", 0) > now + skew and not has("any-nbf"):
        raise invalid
    if claims.get("iat", now) > now + skew and not has("any-iat"):
        raise invalid
    if not isinstance(claims.get("sub"), str) and not has("any-sub"):
        raise invalid
    if has("only-known-claims") and "conform" in claims:
        raise invalid
    scopes = claims.get("scp") or ""
    if has("scope-substring"):
        if "read" not in scopes:
            raise Refusal(403, "insufficient_scope")
    elif "read" not in (scopes.lower() if has("scope-case") else scopes).split() and not has("any-scope"):
        raise Refusal(401 if has("scope-401") else 403, "insufficient_scope")


def check_proof(handler, token, claims):
    invalid = Refusal(401, "invalid_dpop_proof")
    proofs = handler.headers.get_all("DPoP") or []
    if len(proofs) != 1 and not (has("many-proofs") and proofs):
        raise invalid
    head, body, _ = proofs[0].split(".")
    header, proof = decoded(head), decoded(body)
    if header.get("typ") != "dpop+jwt" and not has("proof-typ"):
        raise invalid
    if header.get("alg") != "ES256" and not has("proof-none"):
        raise invalid
    key = header["jwk"]
    if header.get("alg") == "ES256" and not has("proof-signature"):
        message, signature = signed_part(proofs[0])
        if not jwt.get_algorithm_by_name("ES256").verify(message, jwt.PyJWK(key, algorithm="ES256").key, signature):
            raise invalid
    members = json.dumps({name: key[name] for name in ["crv", "kty", "x", "y"]}, separators=(",", ":"), sort_keys=True)
    thumbprint = base64.urlsafe_b64encode(hashlib.sha256(members.encode()).digest()).rstrip(b"=").decode()
    if thumbprint != claims["cnf"]["jkt"] and not has("proof-key"):
        raise invalid
    if proof.get("htm") != handler.command and not has("proof-method"):
        raise invalid
    if urllib.parse.urlsplit(proof.get("htu", "")).netloc != handler.headers["Host"] and not has("proof-address"):
        raise invalid
    if abs(proof.get("iat", 0) - time.time()) > 300 and not has("proof-time"):
        raise invalid
    if "jti" not in proof and not has("proof-id"):
        raise invalid
    if "jti" in proof and proof["jti"] in PROOFS and not has("proof-replay"):
        raise invalid
    PROOFS.add(proof.get("jti"))
    half = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
    if proof.get("ath") != half and not has("proof-hash"):
        raise invalid


def authorize(handler):
    target = urllib.parse.urlsplit(handler.path)
    if has("open-head") and handler.command == "HEAD":
        return
    if has("open-post") and handler.command == "POST":
        return
    if has("open-slash") and target.path.endswith("/"):
        return
    if has("forwarded-user") and "X-Forwarded-User" in handler.headers:
        return
    if has("loopback-open") and handler.headers.get("X-Forwarded-For") == "127.0.0.1":
        return
    if has("override") and "X-HTTP-Method-Override" in handler.headers:
        return
    values = handler.headers.get_all("Authorization") or []
    query = dict(urllib.parse.parse_qsl(target.query))
    if has("query") and "access_token" in query:
        values = ["Bearer " + query["access_token"]]
    if has("cookie") and "Cookie" in handler.headers:
        values = ["Bearer " + handler.headers["Cookie"].split(";")[0].split("=", 1)[1]]
    if len(values) != 1 and not (has("last-header") and values):
        raise Refusal(401)
    words = values[-1].split(" ")
    if has("any-scheme"):
        words = ["Bearer", words[-1]]
    if len(words) != 2 or not words[1]:
        raise Refusal(401)
    scheme = words[0] if has("scheme-case") else words[0].lower().capitalize()
    if scheme not in ("Bearer", "Dpop"):
        raise Refusal(401)
    token = words[1].strip('"') if has("quotes") else words[1]
    claims = verified(token)
    check(claims)
    confirmation = claims.get("cnf") or {}
    if scheme == "Dpop":
        if "jkt" not in confirmation:
            raise Refusal(401, "invalid_token")
        check_proof(handler, token, claims)
    elif confirmation and not has("any-binding"):
        raise Refusal(401, "invalid_token")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        headers, body, status = {}, b"", 200
        try:
            authorize(self)
            path = urllib.parse.urlsplit(self.path).path.rstrip("/")
            status = 200 if path == "/tasks" and self.command in ("GET", "HEAD", "POST") else 404
            body = b'[{"Text":"buy milk"}]'
        except Refusal as refusal:
            status = refusal.status
            if has("forbidden") and status == 401:
                status = 403
            challenge = 'Bearer realm="tasks", resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource"'
            if has("no-metadata"):
                challenge = 'Bearer realm="tasks"'
            code = refusal.code or ("invalid_request" if has("error-without-token") else None)
            if has("other-code") and code:
                code = "server_error"
            if code:
                challenge += f', error="{code}"'
            if has("other-challenge"):
                challenge = 'Basic realm="tasks"'
            if not has("no-challenge"):
                headers["WWW-Authenticate"] = challenge
            body = json.dumps({"error": refusal.code}).encode()
            if has("echo"):
                body += (self.headers.get("Authorization") or "").encode()
        except Exception:
            status = 500 if has("server-error") or has("trace") else 401
            headers["WWW-Authenticate"] = 'Bearer realm="tasks", error="invalid_token"'
            if has("trace"):
                body = traceback.format_exc().encode()
        if has("public-cache"):
            headers["Cache-Control"] = "public, max-age=60"
        if has("cors") and "Origin" in self.headers:
            headers["Access-Control-Allow-Origin"] = self.headers["Origin"]
            headers["Access-Control-Allow-Credentials"] = "true"
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.command == "HEAD":
            body = b""
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_PATCH = do_TRACE = do_CONFORM = answer

    def log_message(self, *_):
        pass


print("ready")
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
