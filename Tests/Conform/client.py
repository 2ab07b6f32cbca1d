"""A strict OpenID Connect client for `conform client`, and with FAULT=NAME the same client with one mistake.

It signs in with the code flow and PKCE, verifies everything, asks the userinfo endpoint and the API, and ends with 0 if,
and only if, the user is signed in.
"""

import base64
import hashlib
import http.server
import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import webbrowser

import jwt

FAULTS = set(filter(None, os.environ.get("FAULT", "").split(",")))


def has(fault):
    return fault in FAULTS


def fail(text):
    print(f"refused: {text}")
    sys.exit(1)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, request, file, code, message, headers, url):
        if not has("follows-redirects"):
            return None
        return urllib.request.Request(url, data=request.data, headers=dict(request.headers), method=request.get_method())

    def http_error_307(self, request, file, code, message, headers):
        if not has("follows-redirects"):
            return None
        return self.parent.open(self.redirect_request(request, file, code, message, headers, headers["Location"]))


OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect)


def ask(url, form=None, headers=None):
    data = urllib.parse.urlencode(form).encode() if form is not None else None
    request = urllib.request.Request(url, data=data, headers=headers or {})
    for attempt in range(3):
        try:
            with OPENER.open(request, timeout=15) as response:
                body = response.read()
                return response.status, response.headers.get_content_type(), body
        except urllib.error.HTTPError as error:
            if has("retries") and error.code in (400, 429, 503) and form is not None and attempt < 2:
                continue
            return error.code, error.headers.get_content_type(), error.read()
        except OSError as error:
            fail(f"no answer: {error}")
        except Exception as error:
            fail(f"broken answer: {error}")


def document(url, **more):
    status, kind, body = ask(url, **more)
    if status != 200 and not has("any-status"):
        fail(f"status {status}")
    try:
        members = json.loads(body)
    except ValueError:
        fail("no JSON")
    if not isinstance(members, dict):
        fail("no JSON object")
    return members


def token(length=32):
    return base64.urlsafe_b64encode(os.urandom(length)).rstrip(b"=").decode()


def discover(issuer):
    metadata = document(f"{issuer}/.well-known/openid-configuration")
    if metadata.get("issuer") != issuer and not has("any-metadata-issuer"):
        fail("metadata of another issuer")
    for name in ["authorization_endpoint", "token_endpoint", "jwks_uri"]:
        address = metadata.get(name)
        if not isinstance(address, str) or not address.startswith(("https://", "http://127.0.0.1")):
            fail(f"no {name}")
    if has("only-known-metadata") and any(name.startswith("conform") for name in metadata):
        fail("unknown metadata")
    if has("needs-scopes-supported"):
        metadata["scopes_supported"]
    return metadata


def receive(redirect_uri, url):
    """Opens the browser and waits for the answer."""
    address = urllib.parse.urlsplit(redirect_uri)
    answers = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            target = urllib.parse.urlsplit(self.path)
            if target.path == address.path or has("first-request"):
                answers.append(urllib.parse.parse_qsl(target.query, keep_blank_values=True))
            self.send_response(200 if target.path == address.path else 404)
            self.end_headers()
            self.wfile.write(b"You may close this window.")

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer((address.hostname, address.port), Handler)
    webbrowser.open(url)
    while not answers:
        server.handle_request()
    server.server_close()
    return answers[0]


def check_answer(fields, issuer, state):
    names = [name for name, _ in fields]
    answer = dict(fields) if has("last-parameter") else dict(reversed(fields))
    known = {"code", "state", "iss", "error", "error_description"}
    if len(set(names)) < len(names) and not has("last-parameter"):
        fail("a parameter twice")
    if has("only-known-parameters") and set(names) - known - {"session_state"}:
        fail("unknown parameter")
    if has("ordered-parameters") and names and names[0] != "code":
        fail("order")
    if not has("any-state"):
        given = answer.get("state") or ""
        if given != state and not (has("state-prefix") and given and state.startswith(given)) and not (
            has("state-if-there") and not given) and not (has("state-case") and given.lower() == state.lower()):
            fail("state")
    if not has("any-iss"):
        given = answer.get("iss")
        if given != issuer and not (has("iss-if-there") and given is None) and not (
            has("iss-slash") and (given or "").rstrip("/") == issuer):
            fail("iss")
    if "error" in answer and not has("error-ignored"):
        fail(answer["error"])
    if not answer.get("code"):
        if has("token-in-front") and answer.get("access_token"):
            print("signed in")
            sys.exit(0)
        fail("no code")
    return answer["code"]


def key_of(keys, header):
    usable = []
    for key in keys.get("keys", []):
        if has("knows-all-keys") and key.get("kty") not in ("RSA",):
            fail("unknown key")
        if key.get("kty") == "RSA" and (key.get("use", "sig") == "sig" or has("any-use")):
            usable.append(key)
    if has("first-key"):
        return usable[0] if usable else fail("no key")
    if has("needs-alg") and any("alg" not in key for key in usable):
        fail("key without alg")
    return next((key for key in usable if key.get("kid") == header.get("kid")), None)


def verified(text, metadata):
    """The claims of a token whose signature is right."""
    try:
        header = jwt.get_unverified_header(text)
        payload = jwt.decode(text, options={"verify_signature": False, "verify_exp": False})
    except jwt.PyJWTError as error:
        fail(f"ID token: {error}")
    except Exception as error:
        fail(f"ID token: {error}")
    if has("any-signature"):
        return payload
    algorithm = header.get("alg")
    if has("alg-none") and str(algorithm).lower() == "none":
        return payload
    if has("hmac") and algorithm == "HS256":
        return payload
    if has("jwk-header") and "jwk" in header:
        key = header["jwk"]
    else:
        if algorithm != "RS256":
            fail("alg")
        if "crit" in header and not has("crit"):
            fail("crit")
        key = key_of(document(metadata["jwks_uri"]), header)
        if key is None and not has("keys-once"):
            key = key_of(document(metadata["jwks_uri"]), header)
        if key is None:
            fail("unknown key")
    try:
        public = jwt.PyJWK(dict({name: value for name, value in key.items() if name != "alg"}, alg="RS256")).key
        message, signature = text.rsplit(".", 1)
        if not jwt.get_algorithm_by_name("RS256").verify(
                message.encode(), public, jwt.utils.base64url_decode(signature)):
            fail("signature")
    except SystemExit:
        raise
    except Exception as error:
        fail(f"signature: {error}")
    return payload


def check_id_token(claims, issuer, client_id, nonce, access_token):
    now = time.time()
    number = (int, float)
    if claims.get("iss") != issuer and not has("any-token-iss"):
        if not (has("token-iss-prefix") and str(claims.get("iss", "")).startswith(issuer)):
            fail("iss of the ID token")
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    if has("aud-text-only") and isinstance(audience, list):
        fail("aud is a list")
    if client_id not in audiences and not has("any-aud"):
        if not (has("aud-prefix") and str(audience).startswith(client_id)):
            fail("aud")
    if set(audiences) - {client_id} and not has("any-aud") and not has("foreign-aud") and not has("aud-prefix"):
        fail("unknown audience")
    if claims.get("azp", client_id) != client_id and not has("any-azp"):
        fail("azp")
    end = claims.get("exp")
    if not has("any-exp"):
        if end is None and has("exp-optional"):
            end = now + 60
        if not isinstance(end, number):
            fail("exp")
        if has("whole-seconds") and not isinstance(end, int):
            fail("exp has a fraction")
        if end + (0 if has("no-skew") else 60) < now:
            fail("expired")
    start = claims.get("iat")
    if not isinstance(start, number) and not has("iat-optional"):
        fail("iat")
    if isinstance(start, number) and start > now + (0 if has("no-skew") else 60) and not has("any-iat"):
        fail("issued in the future")
    if isinstance(start, number) and start < now - 86400 * 30 and not has("any-iat"):
        fail("issued long ago")
    if claims.get("nbf", 0) > now + (0 if has("no-skew") else 60) and not has("any-nbf"):
        fail("not valid yet")
    if claims.get("nonce") != nonce and not has("any-nonce"):
        if not (has("nonce-if-there") and "nonce" not in claims):
            fail("nonce")
    if not (isinstance(claims.get("sub"), str) and claims["sub"]) and not has("any-sub"):
        fail("sub")
    if "at_hash" in claims and not has("any-at-hash"):
        half = hashlib.sha256(access_token.encode()).digest()[:16]
        if claims["at_hash"] != base64.urlsafe_b64encode(half).rstrip(b"=").decode():
            fail("at_hash")


def check_tokens(tokens):
    kind = tokens.get("token_type")
    if not has("any-token-type"):
        if has("token-type-case") and kind != "Bearer":
            fail("token_type")
        if not isinstance(kind, str) or kind.lower() != "bearer":
            fail("token_type")
    if not (isinstance(tokens.get("access_token"), str) and tokens["access_token"]) and not has("no-access-token"):
        fail("access_token")
    if has("expires-number") and not isinstance(tokens.get("expires_in"), int):
        fail("expires_in")
    if has("needs-scope"):
        tokens["scope"]
    if has("needs-refresh-token") and "refresh_token" not in tokens:
        fail("refresh_token")
    if "error" in tokens:
        fail(tokens["error"])


def main():
    issuer, client_id, redirect_uri, api = sys.argv[1:5]
    metadata = discover(issuer)
    state = "state" if has("fixed-state") else token(4) if has("short-state") else token()
    nonce = "nonce" if has("fixed-nonce") else token()
    verifier = "a" * 43 if has("fixed-verifier") else token()
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    fields = {
        "response_type": "code", "client_id": client_id, "redirect_uri": redirect_uri,
        "scope": "openid offline_access https://contoso.onmicrosoft.com/tasks/read", "state": state, "nonce": nonce,
        "code_challenge": challenge, "code_challenge_method": "S256",
    }
    if has("plain"):
        fields.update(code_challenge=verifier, code_challenge_method="plain")
    if has("no-pkce"):
        del fields["code_challenge"], fields["code_challenge_method"]
    if has("no-state"):
        del fields["state"]
        state = ""
    if has("empty-parameter"):
        fields["login_hint"] = ""
    if has("localhost"):
        fields["redirect_uri"] = redirect_uri = redirect_uri.replace("127.0.0.1", "localhost")
    if has("no-nonce"):
        del fields["nonce"]
        nonce = None
    address = metadata["authorization_endpoint"] + "?" + urllib.parse.urlencode(fields)
    answer = receive(redirect_uri, address)
    code = check_answer(answer, issuer, state)
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri, "client_id": client_id}
    if not has("no-pkce"):
        form["code_verifier"] = verifier
    if has("scope-with-code"):
        form["scope"] = fields["scope"]
    tokens = document(metadata["token_endpoint"], form=form)
    check_tokens(tokens)
    access_token = tokens.get("access_token") or ""
    subject = None
    if "id_token" in tokens:
        claims = verified(tokens["id_token"], metadata)
        check_id_token(claims, issuer, client_id, nonce, access_token)
        subject = claims.get("sub")
    elif not has("id-token-optional"):
        fail("no ID token")
    used = tokens.get("id_token") if has("id-token-at-api") else access_token
    headers = {"Authorization": f"Bearer {used}"}
    if "userinfo_endpoint" in metadata:
        user = document(metadata["userinfo_endpoint"], headers={"Authorization": f"Bearer {access_token}"})
        if user.get("sub") != subject and not has("any-userinfo-sub"):
            fail("sub of userinfo")
        if has("needs-email"):
            user["email"]
    status, _, _ = ask(f"{api}?access_token={access_token}" if has("token-in-address") else api, headers=headers)
    if status != 200 and not has("id-token-at-api") and status not in (301, 302):
        fail(f"API: {status}")
    if has("refresh") or has("refresh-any-sub") or has("refresh-needs-token"):
        again = document(metadata["token_endpoint"], form={
            "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], "client_id": client_id})
        if has("refresh-needs-token"):
            again["refresh_token"], again["id_token"]
        if "id_token" in again and not has("refresh-any-sub"):
            claims = verified(again["id_token"], metadata)
            if (claims.get("iss"), claims.get("aud"), claims.get("sub")) != (issuer, client_id, subject):
                fail("ID token of the refresh")
    print("signed in")


main()
