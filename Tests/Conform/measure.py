"""Measures precision and recall of `conform client`, also of MCP clients, and `conform api`.

Each honest subject must have no failed check. Each subject with one planted fault must have the failed, weak or told check
that names the fault. Usage: measure.py B2C_RUN [NAME…], with the names of faults to try only these; `libraries` shows what
is found at clients with well-known libraries.
"""

import concurrent.futures
import fnmatch
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = sys.argv[1]
NAMES = sys.argv[2:]

# The fault of client.py, and the checks that must find it, as patterns.
CLIENT = {
    "any-state": "client.answer.state-other", "state-prefix": "client.answer.state-cut",
    "state-if-there": "client.answer.state-missing", "state-case": "client.answer.state-case",
    "first-request": "client.answer.favicon", "any-iss": "client.answer.iss-other", "iss-if-there": "client.answer.iss-missing", "iss-slash": "client.answer.iss-slash",
    "error-ignored": "client.answer.code-and-error", "token-in-front": "client.answer.token-in-front",
    "only-known-parameters": "client.answer.extra", "ordered-parameters": "client.answer.order",
    "any-metadata-issuer": "client.metadata.issuer-other", "only-known-metadata": "client.metadata.extra",
    "needs-scopes-supported": "client.metadata.no-scopes", "any-status": "client.errors.token-tokens-400",
    "any-token-iss": "client.id-token.iss-other", "token-iss-prefix": "client.id-token.iss-prefix",
    "any-aud": "client.id-token.aud-other", "aud-prefix": "client.id-token.aud-prefix",
    "foreign-aud": "client.id-token.aud-untrusted", "aud-text-only": "client.id-token.aud-list",
    "any-azp": "client.id-token.azp-other", "any-exp": "client.id-token.exp-past", "exp-optional": "client.id-token.exp-missing",
    "whole-seconds": "client.id-token.fraction", "iat-optional": "client.id-token.iat-missing",
    "any-iat": "client.id-token.iat-future", "any-nbf": "client.id-token.nbf-future", "any-nonce": "client.id-token.nonce-other",
    "nonce-if-there": "client.id-token.nonce-missing", "any-sub": "client.id-token.sub-missing",
    "any-at-hash": "client.id-token.at-hash", "no-skew": "client.id-token.skew-ahead",
    "id-token-optional": "client.id-token.missing", "any-signature": "client.signature.other-key",
    "alg-none": "client.signature.none", "hmac": "client.signature.hmac-public-key", "jwk-header": "client.signature.jwk",
    "crit": "client.signature.crit", "first-key": "client.keys.unknown-first", "knows-all-keys": "client.keys.elliptic-first",
    "needs-alg": "client.keys.no-alg", "keys-once": "client.keys.rotated", "any-use": "client.keys.encryption",
    "any-token-type": "client.token-answer.type-unknown", "token-type-case": "client.token-answer.type-case",
    "expires-number": "client.token-answer.expires-text", "needs-scope": "client.token-answer.scope-missing",
    "needs-refresh-token": "client.token-answer.no-refresh-token", "any-userinfo-sub": "client.userinfo.sub-other",
    "needs-email": "client.userinfo.less", "fixed-state": "client.request.state-new", "short-state": "client.request.state-long",
    "no-state": "client.request.state", "fixed-nonce": "client.request.nonce-new", "no-nonce": "client.request.nonce",
    "plain": "client.request.pkce-s256", "no-pkce": "client.request.pkce", "fixed-verifier": "client.request.pkce-new",
    "empty-parameter": "client.request.empty", "localhost": "client.request.redirect-loopback",
    "scope-with-code": "client.token-request.scope", "id-token-at-api": "client.api.no-id-token",
    "token-in-address": "client.api.no-query", "retries": "client.errors.code-again",
    "follows-redirects": "client.errors.token-redirect", "refresh-any-sub": "client.refresh.sub",
    "refresh-needs-token": "client.refresh.same",
}

API = {
    "no-signature": "api.signature.other-key", "cut": "api.signature.cut", "none": "api.signature.none",
    "hmac": "api.signature.hmac-pem", "hmac-word": "api.signature.hmac-word", "jwk": "api.signature.jwk",
    "jku": "api.signature.jku", "crit": "api.signature.crit", "any-typ": "api.tokens.logout-token",
    "any-iss": "api.claims.iss-other", "iss-prefix": "api.claims.iss-prefix", "any-tid": "api.claims.tid-other",
    "any-aud": "api.claims.aud-other", "aud-prefix": "api.claims.aud-prefix", "aud-if-there": "api.claims.aud-missing",
    "aud-text": "api.claims.aud-one-of", "any-exp": "api.claims.exp-past", "exp-optional": "api.claims.exp-missing",
    "any-nbf": "api.claims.nbf-future", "any-iat": "api.claims.iat-future", "any-sub": "api.claims.sub-missing",
    "only-known-claims": "api.claims.extra", "no-skew": "api.claims.skew-ahead", "whole-seconds": "api.claims.fraction",
    "needs-typ": "api.claims.no-type", "typ-jwt": "api.claims.at-jwt", "keys-once": "api.claims.new-key",
    "any-scope": "api.scopes.missing", "scope-substring": "api.scopes.prefix", "scope-case": "api.scopes.case",
    "scope-401": "api.answers.scope-403", "query": "api.ways.query", "cookie": "api.ways.cookie",
    "any-scheme": "api.ways.other-scheme", "scheme-case": "api.ways.scheme-case", "quotes": "api.ways.quoted",
    "last-header": "api.ways.twice", "open-head": "api.doors.method-head", "open-post": "api.doors.method-post",
    "open-slash": "api.doors.path-slash", "forwarded-user": "api.doors.header-forwarded-user",
    "loopback-open": "api.doors.header-forwarded-for", "override": "api.doors.override", "forbidden": "api.answers.none-401",
    "no-challenge": "api.answers.challenge", "other-challenge": "api.answers.challenge-scheme",
    "error-without-token": "api.answers.challenge-no-error", "other-code": "api.answers.challenge-invalid-token",
    "no-metadata": "api.answers.challenge-metadata", "echo": "api.answers.echo", "trace": "api.answers.trace",
    "server-error": "api.answers.steady-malformed", "public-cache": "api.answers.cache", "cors": "api.answers.cors",
    "any-binding": "api.dpop.bound-as-bearer", "many-proofs": "api.dpop.two-proofs", "proof-typ": "api.dpop.type",
    "proof-none": "api.dpop.none", "proof-signature": "api.dpop.signature", "proof-key": "api.dpop.other-key",
    "proof-method": "api.dpop.method", "proof-address": "api.dpop.address", "proof-time": "api.dpop.old",
    "proof-id": "api.dpop.id-missing", "proof-replay": "api.dpop.replay", "proof-hash": "api.dpop.hash",
}


# The fault of mcp_client.py, and the checks that must find it.
MCP = {
    "any-resource": "client.mcp-resource.other", "resource-path": "client.mcp-resource.host",
    "resource-prefix": "client.mcp-resource.prefix", "resource-if-there": "client.mcp-resource.missing",
    "own-server": "client.mcp-resource.no-servers", "needs-address": "client.mcp-resource.no-address",
    "no-root": "client.mcp-resource.root",
    "needs-scopes": "client.mcp-resource.no-scopes", "challenge-case": "client.mcp-resource.scheme-case",
    "first-scheme": "client.mcp-resource.two-schemes", "any-issuer": "client.mcp-server.issuer",
    "any-pkce": "client.mcp-server.no-pkce", "standard-only": "client.mcp-server.openid-place",
    "openid-only": "client.mcp-server.standard-place", "any-iss": "client.answer.iss-other",
    "resource-once": "client.mcp-request.resource-token",
    "no-type": "client.mcp-request.registration", "listed-scopes": "client.mcp-request.scope-challenge",
    "fixed-scope": "client.mcp-request.scope-undefined", "always-offline": "client.mcp-request.offline-access",
    "no-step-up": "client.mcp-request.step-up", "drops-scopes": "client.mcp-request.step-up",
    "no-bound": "client.mcp-request.step-up-bound", "mcp-token-in-address": "client.mcp-request.token-header",
    "mcp-redirects": "client.mcp-request.redirect",
    "keeps-client": "client.mcp-request.moved",
}


def judge(words, fault):
    environment = dict(os.environ, FAULT=fault)
    done = subprocess.run([PROGRAM, "--quiet", "conform", *words], env=environment, capture_output=True, text=True, timeout=900)
    if not done.stdout.startswith("{"):
        raise SystemExit(f"{fault}: {done.stdout}{done.stderr}")
    return {check["id"]: check for check in json.loads(done.stdout)["checks"]}


def client(fault, only=None):
    more = ["--only", only] if only else []
    return judge(["client", "--json", *more, "--jobs", "2", "--", sys.executable, f"{HERE}/client.py",
                  "{issuer}", "{client_id}", "{redirect_uri}", "{api}"], fault)


def api(fault, only=None):
    more = ["--only", only] if only else []
    return judge(["api", "http://127.0.0.1:{port}/tasks", "--json", *more, "--", sys.executable, f"{HERE}/api.py",
                  "{port}", "{issuer}", "{jwks_url}", "{audience}"], fault)


# Clients with well-known libraries, which are right but for what the library leaves out.
LIBRARIES = {
    "Authlib": (["client"], ["with_authlib.py", "{issuer}", "{client_id}", "{redirect_uri}"]),
    "requests-oauthlib": (
        ["client"], ["with_requests_oauthlib.py", "{authorize_url}", "{token_url}", "{client_id}", "{redirect_uri}", "{api}"]),
    "MSAL": (["client", "--tls"], ["with_msal.py", "{issuer}", "{client_id}"]),
    "Flask and Authlib": (
        ["client", "--confidential", "--visit", "http://127.0.0.1:{port}/"],
        ["web_app.py", "{port}", "{metadata_url}", "{client_id}", "{client_secret}"]),
}


def mcp(fault, only=None):
    topics = ",".join(f"client.{topic}" for topic in ("mcp-resource", "mcp-server", "mcp-request", "answer", "metadata"))
    return judge(["client", "--profile", "mcp", "--json", "--only", only or topics, "--jobs", "2", "--", sys.executable, f"{HERE}/mcp_client.py", "{mcp}"], fault)


def libraries():
    for name, (options, words) in LIBRARIES.items():
        checks = judge([*options, "--json", "--", sys.executable, f"{HERE}/libraries/{words[0]}", *words[1:]], "")
        for outcome in ("failed", "weak", "unclear"):
            found = [f"{id} ({check['detail']})" for id, check in checks.items() if check["outcome"] == outcome]
            print(f"{name}: {len(found)} {outcome}", *found, sep="\n  ", flush=True)


def is_found(check):
    """A broken rule: for the level may, the fact is told in words of the answer."""
    if check["outcome"] in ("failed", "weak"):
        return True
    return check["outcome"] == "told" and check["level"] == "may"


def main():
    if NAMES == ["libraries"]:
        return libraries()
    problems = []
    for name, subject, faults in [("client", client, CLIENT), ("mcp", mcp, MCP), ("api", api, API)]:
        if not NAMES:
            honest = subject("")
            wrong = [f"{id}: {check['detail']}" for id, check in honest.items() if check["outcome"] in ("failed", "weak", "unclear")]
            problems += [f"{name}, honest: {text}" for text in wrong]
            print(f"{name}: {len(honest)} checks, {len(wrong)} false alarms at the honest subject", flush=True)
        tried = {fault: id for fault, id in faults.items() if not NAMES or fault in NAMES}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = dict(zip(tried, pool.map(lambda item: subject(item[0], item[1]), tried.items())))
        honest_facts = subject("", ",".join(sorted(set(tried.values())))) if tried else {}
        found = 0
        for fault, id in tried.items():
            check = results[fault].get(id)
            told_before = honest_facts.get(id, {}).get("detail")
            if check and is_found(check) and (check["outcome"] != "told" or check["detail"] != told_before):
                found += 1
            else:
                problems.append(f"{name}, fault {fault}: {id} is {check and check['outcome']}: {check and check['detail']}")
        if tried:
            print(f"{name}: {found} of {len(tried)} faults found by the check that names them", flush=True)
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


main()
