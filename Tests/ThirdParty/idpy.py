"""b2c-run signs in at idpyoidc, a provider with pushed requests, DPoP, client assertions and registration.

Usage: idpy.py PATH_OF_B2C_RUN

idpyoidc has no web server of its own: this one hands requests to its endpoints, and corrects what idpyoidc does
otherwise than the standards. A correction is marked with the section that asks for it.
"""

import base64
import hashlib
import http.server
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

warnings.simplefilter("ignore")
# It logs each refusal as an error.
logging.disable()

from cryptography.hazmat.primitives import serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec  # noqa: E402
from idpyoidc.server import Server  # noqa: E402
from idpyoidc.server.configure import OPConfiguration  # noqa: E402
from idpyoidc.server.oauth2.add_on import dpop, pkce  # noqa: E402

REDIRECT_URI = "http://localhost:8123/callback"
METHODS = ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt"]

REGISTRATION = """
local b2c = require "b2c"
local jose = b2c.jose

local key = jose.key.load { file = "client.pem" }
local registered = b2c.oauth.register {
  client_name = "Tasks", redirect_uris = { b2c.settings.redirectURL },
  token_endpoint_auth_method = "private_key_jwt", jwks = { keys = { jose.key.public(key) } },
  grant_types = { "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange" },
  response_types = { "code" },
}
print(registered.client_id)
"""

SIGN_INS = """
local b2c = require "b2c"
local accounts, oauth = b2c.accounts, b2c.oauth

local function sign_in(name, options)
  -- idpyoidc shows an error page for offline_access without a consent.
  options.agent, options.account_type, options.prompt = "headless", name, "consent"
  local account = accounts.sign_in(options)
  assert(account.id and account.claims.sub)
  account:refresh()
  print(name .. ": signed in and refreshed")
  return account
end
local plain = sign_in("private_key_jwt", {})
sign_in("PAR", { par = true })
assert(sign_in("DPoP", { dpop = true }):token_type() == "DPoP")
sign_in("PAR and DPoP", { par = true, dpop = true })
assert(oauth.introspect(plain:token()).active == true)
print "introspection: the token is active"
local bound = accounts.find { account_type = "DPoP" }
assert(oauth.userinfo(bound).sub == bound.claims.sub)
print "userinfo with a proof: the same user"
local exchanged = oauth.exchange { subject_token = plain:token(), subject_token_type = "access_token" }
assert(exchanged.issued_token_type == "urn:ietf:params:oauth:token-type:access_token")
assert(oauth.introspect(exchanged.access_token).active == true)
print "token exchange: the new token is active"
"""

DEVIATIONS = """
require("b2c").accounts.sign_in { agent = "headless", prompt = "consent", par = true, dpop = true }
"""

# Mistakes that idpyoidc accepts against the standard, as its source shows: it does not look at iat and jti of a proof, and does not
# know dpop_jkt.
KNOWN_WEAKNESSES = {"proof_old", "proof_other_key"}


def endpoint(name, path, methods=None, **options):
    return {
        "path": path,
        "class": f"idpyoidc.server.{name}",
        "kwargs": {"client_authn_method": methods, **options},
    }


def configuration(url, folder):
    rules = {
        "authorization_code": {
            "supports_minting": ["access_token", "refresh_token", "id_token"], "max_usage": 1, "expires_in": 120},
        "access_token": {"supports_minting": ["access_token"], "expires_in": 3600},
        "refresh_token": {"supports_minting": ["access_token", "refresh_token", "id_token"], "expires_in": 86400},
    }
    token = {"class": "idpyoidc.server.token.jwt_token.JWTToken", "kwargs": {"lifetime": 3600}}
    return OPConfiguration(base_path=folder, conf={
        "issuer": url,
        "httpc_params": {"verify": False, "timeout": 4},
        "key_conf": {"key_defs": [
            {"type": "RSA", "use": ["sig"]}, {"type": "EC", "crv": "P-256", "use": ["sig"]}], "uri_path": "jwks.json"},
        "token_handler_args": {
            "key_conf": {"key_defs": [{"type": "oct", "bytes": 24, "use": ["enc"], "kid": "code"}]},
            "code": {"kwargs": {"lifetime": 600}},
            "token": token, "refresh": token,
            "id_token": {"class": "idpyoidc.server.token.id_token.IDToken", "kwargs": {}},
        },
        "authz": {
            "class": "idpyoidc.server.authz.AuthzHandling",
            "kwargs": {"grant_config": {"usage_rules": rules, "expires_in": 86400}}},
        "authentication": {"user": {
            "acr": "urn:oasis:names:tc:SAML:2.0:ac:classes:InternetProtocolPassword",
            "class": "idpyoidc.server.user_authn.user.NoAuthn", "kwargs": {"user": "ada"}}},
        "userinfo": {
            "class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db": {"ada": {"name": "Ada"}}}},
        "add_on": {
            "pkce": {
                "function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
                "kwargs": {"essential": True, "code_challenge_methods": {"S256": pkce.CC_METHOD["S256"]}}},
            "dpop": {
                "function": "idpyoidc.server.oauth2.add_on.dpop.add_support",
                "kwargs": {"dpop_signing_alg_values_supported": ["ES256"], "dpop_endpoints": ["userinfo"]}},
        },
        "endpoint": {
            "provider_config": endpoint(
                "oidc.provider_config.ProviderConfiguration", ".well-known/openid-configuration"),
            "registration": endpoint("oidc.registration.Registration", "registration"),
            "authorization": endpoint(
                "oidc.authorization.Authorization", "authorization", response_types_supported=["code"]),
            "pushed_authorization": endpoint(
                "oauth2.pushed_authorization.PushedAuthorization", "par", METHODS, ttl=60),
            "token": endpoint("oidc.token.Token", "token", METHODS),
            "userinfo": endpoint("oidc.userinfo.UserInfo", "userinfo", ["bearer_header", "dpop"]),
            "introspection": endpoint("oauth2.introspection.Introspection", "introspection", METHODS),
        },
    })


def proofs_where_sent(request, client_id, context, **arguments):
    """The add-on refuses every token request without a proof."""
    if not arguments.get("http_info", {}).get("headers", {}).get("dpop") or "error" in request:
        return request
    return dpop.token_post_parse_request(request, client_id, context, **arguments)


class HashOfToken:
    """The hash of a token, in base64url where the add-on asks for hex (RFC 9449, 4.2)."""

    def __init__(self, data):
        self.digest = hashlib.sha256(data).digest()

    def hexdigest(self):
        return base64.urlsafe_b64encode(self.digest).decode().rstrip("=")


class Provider:
    """idpyoidc behind a web server of this process."""

    def __init__(self, folder):
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                provider.answer(self, "")

            def do_POST(self):
                provider.answer(self, self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.server = Server(configuration(self.url, folder), cwd=folder)
        self.context = self.server.context
        dpop.sha256 = HashOfToken
        # The add-on hooks into the userinfo endpoint alone.
        self.server.endpoint["token"].post_parse_request.append(proofs_where_sent)
        self.lock = threading.Lock()
        self.errors = []

    def metadata(self):
        answer = self.server.endpoint["provider_config"].process_request()["response_args"]
        # RFC 9449, 5.1: missing in idpyoidc's document.
        return {**answer, "dpop_signing_alg_values_supported": ["ES256"], "issuer": self.url}

    def answer(self, handler, body):
        with self.lock:
            try:
                status, headers, text = self.respond(handler, body)
            except Exception as error:  # An endpoint raises whatever it finds.
                self.errors.append(f"{handler.path.split('?')[0]}: {error!r}")
                status, headers = 400, [("Content-Type", "application/json")]
                text = json.dumps({"error": self.code(error), "error_description": type(error).__name__})
        data = text.encode()
        handler.send_response(status)
        for name, value in headers:
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    @staticmethod
    def code(error):
        name = type(error).__name__
        if "Client" in name or "Auth" in name:
            return "invalid_client"
        return "invalid_dpop_proof" if "DPoP" in str(error) else "invalid_request"

    def respond(self, handler, body):
        parts = urlsplit(handler.path)
        path = parts.path.strip("/")
        if path == ".well-known/openid-configuration":
            return self.json(200, self.metadata())
        if path == "jwks.json":
            return self.json(200, json.loads(self.server.keyjar.export_jwks_as_json()))
        target = next(each for each in self.server.endpoint.values() if each.endpoint_path == path)
        request = body or parts.query
        if target.name == "authorization":
            request = dict(parse_qsl(request))
            pushed = self.context.par_db.get(request.get("request_uri"))
            # RFC 9126, 4: the URL has nothing but client_id and request_uri.
            if pushed:
                request |= {name: pushed[name] for name in ("response_type", "scope", "redirect_uri", "prompt")}
        headers = {name.lower(): value for name, value in handler.headers.items()}
        information = {
            "headers": headers, "method": handler.command, "url": self.url + parts.path, "cookie": []}
        parsed = target.parse_request(request, http_info=information)
        if "error" in parsed:
            return self.json(400, parsed.to_dict())
        result = target.process_request(parsed, http_info=information)
        if "http_response" in result:
            return self.json(201, result["http_response"])
        if "error" in result:
            error = result.to_dict() if hasattr(result, "to_dict") else result
            return self.json(400, {name: error[name] for name in ("error", "error_description") if name in error})
        if target.name == "token":
            self.bind(parsed, result)
        answer = target.do_response(request=parsed, **result)
        text = answer["response"]
        if answer.get("response_placement", target.response_placement) == "url":
            return 302, [("Location", text)], ""
        return 201 if target.name == "registration" else 200, [("Content-Type", "application/json")], text

    def bind(self, request, result):
        # RFC 9449, 5: a refreshed token is bound as well, and its type is DPoP.
        if request.get("dpop_jkt") and "response_args" in result:
            result["response_args"]["token_type"] = "DPoP"

    @staticmethod
    def json(status, value):
        return status, [("Content-Type", "application/json")], json.dumps(value)


def run(command, folder, *words):
    done = subprocess.run([*command, *words], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def check_deviations(command, folder):
    Path(f"{folder}/flow.lua").write_text(DEVIATIONS, encoding="utf-8")
    results = json.loads(run(command, folder, "experiment", "--deviations", "--yes", "--json", "flow.lua"))
    print("idpyoidc, deviations:", results["summary"])
    for finding in results["deviations"]:
        assert finding["outcome"] != "unclear", finding
        if finding["rule"]["level"] == "must" and finding["outcome"] == "accepted":
            assert finding["name"] in KNOWN_WEAKNESSES, finding


def main(program):
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as folder:
        provider = Provider(folder)
        threading.Thread(target=provider.http.serve_forever, daemon=True).start()
        try:
            Path(f"{folder}/settings.json").write_text(json.dumps({
                "authority": provider.url, "redirectURL": REDIRECT_URI, "clientID": "none",
                "scopes": ["openid", "offline_access"]}), encoding="utf-8")
            key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
            Path(f"{folder}/client.pem").write_bytes(key)
            for name, text in {"register.lua": REGISTRATION, "sign_ins.lua": SIGN_INS}.items():
                Path(f"{folder}/{name}").write_text(text, encoding="utf-8")
            command = [program, "--settings", "settings.json", "--store", "store"]
            client = run(command, folder, "register.lua").strip()
            # idpyoidc takes assertions for the address of the endpoint alone.
            for setting in (
                f"clientID={client}", "clientAuthentication=private_key_jwt", "clientKey=client.pem",
                "clientAssertionAudience=endpoint"):
                command += ["--set", setting]
            for line in run(command, folder, "sign_ins.lua").splitlines():
                print("idpyoidc,", line)
            check_deviations(command, folder)
        except BaseException:
            print(*provider.errors[-10:], sep="\n", file=sys.stderr)
            raise
        finally:
            provider.http.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
