"""b2c-run signs in at Glewlwyd (Debian's package), a provider with pushed requests, DPoP, JARM and client assertions.

Usage: glewlwyd.py PATH_OF_B2C_RUN
"""

import gzip
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

SHARED = Path("/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz")
CONFIGURATION = Path("/etc/glewlwyd/glewlwyd.conf")

REDIRECT_URI = "http://localhost:8123/callback"

# Glewlwyd's page needs JavaScript: this script is the browser, and calls the functions that the page calls.
AGENT = """
local function ask(url)
  print("OPEN " .. url)
  io.stdout:flush()
  return io.read "l"
end
return { name = "glewlwyd", version = "1.0", agents = { glewlwyd = ask } }
"""

REGISTRATION = """
local b2c = require "b2c"
local jose = b2c.jose

local key = jose.key.generate { alg = "ES256" }
jose.key.save(key, "client")
local registered = b2c.oauth.register {
  client_name = "Tasks", redirect_uris = { b2c.settings.redirectURL },
  token_endpoint_auth_method = "private_key_jwt", jwks = { keys = { jose.key.public(key) } },
  grant_types = { "authorization_code", "refresh_token" }, response_types = { "code" },
}
print(registered.client_id)
"""

SIGN_INS = """
local b2c = require "b2c"
local accounts, oauth = b2c.accounts, b2c.oauth

local function sign_in(name, options)
  options.agent, options.account_type = "glewlwyd", name
  local account = accounts.sign_in(options)
  assert(account.claims.aud == b2c.settings.clientID)
  account:refresh()
  print(name .. ": signed in and refreshed")
  return account
end
local plain = sign_in("private_key_jwt", {})
sign_in("PAR", { par = true })
sign_in("JARM", { response_mode = "query.jwt" })
sign_in("request object", { request_object = true })
sign_in("pushed request object", { request_object = true, par = true })
assert(sign_in("DPoP", { dpop = true }):token_type() == "DPoP")
sign_in("PAR and DPoP", { par = true, dpop = true })
assert(oauth.introspect(plain:token()).active == true)
print "introspection: the token is active"
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class StopAtRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Pages:
    """The functions that Glewlwyd's own pages call."""

    def __init__(self, url):
        self.url = url
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()), StopAtRedirects())

    def call(self, method, path, body):
        request = urllib.request.Request(
            f"{self.url}/api/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
        try:
            self.opener.open(request, timeout=10).close()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from None

    def open(self, address):
        """Signs Alice in, grants the scopes, and returns the redirect to the application."""
        self.call("POST", "auth/", {"username": "alice", "password": "alice-password"})
        for _ in range(4):
            try:
                raise AssertionError(f"no redirect from {address}: {self.opener.open(address, timeout=10).read()[:300]}")
            except urllib.error.HTTPError as answer:
                assert answer.code in (302, 303), (address, answer.code, answer.read())
                place = answer.headers["Location"]
            if place.startswith(REDIRECT_URI):
                return place
            # The page of the sign-in names the client, and the address to go on with.
            fields = parse_qs(urlsplit(place).query)
            self.call("PUT", f"auth/grant/{fields['client_id'][0]}", {"scope": "openid tasks"})
            address = fields["callback_url"][0] + "&g_continue"
        raise AssertionError("the sign-in does not end")


def configuration(folder, port):
    """Debian's configuration with another port and database, and without files of the system."""
    text = CONFIGURATION.read_text(encoding="utf-8")
    database = f'database = {{ type = "sqlite3"; path = "{folder}/glewlwyd.db"; }};'
    text = re.sub(r'^@include.*$', database, text, flags=re.MULTILINE)
    for name, value in {
        "port": str(port), "external_url": f'"http://localhost:{port}/"', "log_mode": '"file"',
        "log_file": f'"{folder}/glewlwyd.log"', "bind_address": '"127.0.0.1"',
    }.items():
        text, count = re.subn(rf"^\s*#?\s*{name}\s*=.*$", f"{name}={value}", text, count=1, flags=re.MULTILINE)
        if not count:
            text += f"\n{name}={value}\n"
    path = f"{folder}/glewlwyd.conf"
    Path(path).write_text(text, encoding="utf-8")
    return path


def set_up(url):
    administration = Pages(url)
    administration.call("POST", "auth/", {"username": "admin", "password": "password"})
    administration.call("POST", "scope/", {
        "name": "tasks", "display_name": "Tasks", "description": "Tasks", "password_required": False, "scheme": {}, "scheme_required": {}})
    administration.call("POST", "user/", {
        "username": "alice", "name": "alice", "email": "alice@example.com", "password": "alice-password",
        "enabled": True, "scope": ["openid", "tasks", "g_profile"]})
    keys = subprocess.run(
        ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], capture_output=True, check=True).stdout
    public = subprocess.run(["openssl", "pkey", "-pubout"], input=keys, capture_output=True, check=True).stdout
    administration.call("POST", "mod/plugin/", {
        "module": "oidc", "name": "oidc", "display_name": "OpenID Connect", "enabled": True, "parameters": {
            "iss": f"{url}/api/oidc", "jwt-type": "rsa", "jwt-key-size": "256",
            "key": keys.decode(), "cert": public.decode(),
            "access-token-duration": 3600, "refresh-token-duration": 86400, "code-duration": 600,
            "refresh-token-rolling": True, "allow-non-oidc": True, "auth-type-code-enabled": True,
            "auth-type-client-enabled": True, "auth-type-refresh-enabled": True, "auth-type-token-enabled": False,
            "auth-type-id-token-enabled": True, "auth-type-none-enabled": False, "auth-type-password-enabled": False,
            "auth-type-device-enabled": False, "subject-type": "public",
            "additional-parameters": [], "claims": [], "name-claim": "on-demand", "email-claim": "no",
            "name-claim-scope": [], "email-claim-scope": [], "scope-claim": "no", "scope-claim-scope": [],
            "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required": False,
            "jwks-show": True, "jwks-x5c": [],
            "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
            "introspection-revocation-auth-scope": [],
            "register-client-allowed": True, "register-client-auth-scope": [], "register-client-credentials-scope": ["tasks"],
            "register-client-management-allowed": True, "register-resource-specify-allowed": False,
            "register-resource-default": [], "register-default-properties": {},
            "request-parameter-allow": True, "request-parameter-ietf-strict": False, "request-maximum-exp": 3600,
            "client-pubkey-parameter": "pubkey", "client-jwks-parameter": "jwks", "client-jwks_uri-parameter": "jwks_uri",
            "oauth-par-allowed": True, "oauth-par-required": False, "oauth-par-duration": 90,
            "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
            "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60, "oauth-dpop-nonce-mandatory": False,
            "oauth-fapi-allow-jarm": True, "oauth-as-iss-id": True,
            "session-management-allowed": False, "client-cert-source": "", "resource-allowed": False,
            "oauth-rar-allowed": False, "oauth-ciba-allowed": False,
        }})


def run(command, folder, url, script):
    """Runs a script, opens the addresses that it asks for, and returns the other lines that it prints."""
    path, lines = Path(folder) / "script.lua", []
    path.write_text(script, encoding="utf-8")
    with subprocess.Popen(
        [*command, path.name], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("OPEN "):
                process.stdin.write(Pages(url).open(line[5:].strip()) + "\n")
                process.stdin.flush()
            else:
                lines.append(line.strip())
    assert process.returncode == 0, (process.returncode, lines)
    return lines


def main(program):
    program = os.path.abspath(program)
    if not shutil.which("glewlwyd"):
        raise SystemExit("glewlwyd is not installed: apt-get install glewlwyd")
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        url = f"http://localhost:{port}"
        with sqlite3.connect(f"{folder}/glewlwyd.db") as database:
            database.executescript(gzip.decompress(SHARED.read_bytes()).decode())
        provider = subprocess.Popen(
            ["glewlwyd", f"--config-file={configuration(folder, port)}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(100):
                assert provider.poll() is None, Path(f"{folder}/glewlwyd.log").read_text(encoding="utf-8")
                try:
                    urllib.request.urlopen(f"{url}/config", timeout=5).read()
                    break
                except urllib.error.HTTPError:
                    break
                except OSError:
                    time.sleep(0.1)
            set_up(url)
            Path(f"{folder}/settings.json").write_text(json.dumps({
                "authority": f"{url}/api/oidc", "redirectURL": REDIRECT_URI, "clientID": "none",
                "scopes": ["openid", "tasks"]}), encoding="utf-8")
            Path(f"{folder}/agent.lua").write_text(AGENT, encoding="utf-8")
            command = [program, "-A", "--settings", "settings.json", "--store", "store", "--plugin", "agent.lua"]
            client = run(command, folder, url, REGISTRATION)[-1]
            # Glewlwyd takes assertions for the address of the endpoint alone.
            changes = {
                "clientID": client, "clientAuthentication": "private_key_jwt", "clientKey": "stored:client",
                "clientAssertionAudience": "endpoint"}
            for change in changes.items():
                command += ["--set", "=".join(change)]
            for line in run(command, folder, url, SIGN_INS):
                print("glewlwyd,", line)
        except BaseException:
            log = Path(f"{folder}/glewlwyd.log")
            if log.exists():
                print(log.read_text(encoding="utf-8")[-3000:], file=sys.stderr)
            raise
        finally:
            provider.terminate()
            provider.wait()


main(sys.argv[1])
