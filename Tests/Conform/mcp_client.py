"""A strict client of an MCP server for `conform client --profile mcp`, and with FAULT=NAME the same client with one mistake.

It finds the sign-in from the address of the server alone, signs in with PKCE, lists the tools, and ends with 0 if, and only if,
the server answers.
"""

import base64
import hashlib
import http.server
import json
import os
import re
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request
import webbrowser

FAULTS = set(filter(None, os.environ.get("FAULT", "").split(",")))
URL = sys.argv[1]
MOST_SIGN_INS = 30 if "no-bound" in FAULTS else 3


def has(fault):
    return fault in FAULTS


def fail(text):
    print(f"refused: {text}")
    sys.exit(1)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None

    def http_error_307(self, request, file, code, message, headers):
        if not has("mcp-redirects"):
            return None
        again = urllib.request.Request(
            headers["Location"], data=request.data, headers=dict(request.headers), method=request.get_method())
        return self.parent.open(again)


OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect)


def ask(url, data=None, headers=None):
    request = urllib.request.Request(url, data=data, headers=headers or {})
    try:
        with OPENER.open(request, timeout=15) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()
    except OSError as error:
        fail(f"no answer: {error}")


def document(url):
    """The JSON object at an address; None without one."""
    status, _, body = ask(url, headers={"Accept": "application/json"})
    if status != 200:
        return None
    try:
        members = json.loads(body)
    except ValueError:
        return None
    return members if isinstance(members, dict) else None


def origin(url):
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def challenge(headers):
    """The parameters of the challenge of the scheme Bearer."""
    text = ", ".join(headers.get_all("WWW-Authenticate") or [])
    found = re.search(r"(?:^|, )Bearer (.*)", text, 0 if has("challenge-case") else re.I)
    if has("first-scheme") and not text.lower().startswith("bearer"):
        return {}
    return {name: value.replace('\\"', '"') for name, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[1] if found else "")}


def resource_metadata(parameters):
    root = f"{origin(URL)}/.well-known/oauth-protected-resource"
    places = [root + urllib.parse.urlsplit(URL).path, root]
    if "resource_metadata" in parameters:
        places = [parameters["resource_metadata"]]
    elif has("needs-address"):
        fail("no resource_metadata")
    for place in places[:1] if has("no-root") else places:
        members = document(place)
        if members is not None:
            break
    else:
        fail("no resource metadata")
    resource = members.get("resource")
    is_right = resource == URL
    if has("resource-prefix"):
        is_right = isinstance(resource, str) and URL.startswith(resource)
    if has("resource-path"):
        is_right = isinstance(resource, str) and urllib.parse.urlsplit(resource).path == "/mcp"
    if has("resource-if-there"):
        is_right = resource is None or is_right
    if not is_right and not has("any-resource"):
        fail("another resource")
    if has("needs-scopes") and "scopes_supported" not in members:
        fail("no scopes_supported")
    if not members.get("authorization_servers"):
        if not has("own-server"):
            fail("no authorization server")
        members["authorization_servers"] = [f"{origin(URL)}/contoso.onmicrosoft.com/v2.0"]
    return members


def server_metadata(issuer):
    root, path = origin(issuer), urllib.parse.urlsplit(issuer).path
    standard, openid = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
    places = [f"{root}{standard}{path}", f"{root}{openid}{path}", f"{root}{path}{openid}"]
    if has("standard-only"):
        places = places[:1]
    if has("openid-only"):
        places = places[1:]
    for place in places:
        members = document(place)
        if members is not None:
            break
    else:
        fail("no metadata of the authorization server")
    if members.get("issuer") != issuer and not has("any-issuer"):
        fail("another issuer")
    if "S256" not in members.get("code_challenge_methods_supported", []) and not has("any-pkce"):
        fail("no S256")
    return members


def code(request, redirect, state, issuer):
    """Opens the browser, and returns the code of the answer."""
    answers = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            pairs = urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query)
            fields = dict(pairs)
            # A parameter that is there twice is an answer of nobody.
            is_answer = fields.get("state") == state and len(fields) == len(pairs)
            if is_answer:
                answers.append(fields)
            self.send_response(200 if is_answer else 404)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    port = urllib.parse.urlsplit(redirect).port
    with http.server.HTTPServer(("127.0.0.1", port), Handler) as server:
        server.timeout = 8
        webbrowser.open(request)
        for _ in range(4):
            server.handle_request()
            if answers:
                break
    if not answers:
        fail("no answer with this state")
    if answers[0].get("iss") != issuer and not has("any-iss"):
        fail("iss of another issuer")
    if "code" not in answers[0] or "error" in answers[0]:
        fail(answers[0].get("error"))
    return answers[0]["code"]


CLIENTS = {}


def sign_in(parameters, before):
    """Signs in as the challenge demands. Returns the token and the scopes."""
    resource = resource_metadata(parameters)
    issuer = resource["authorization_servers"][0]
    metadata = server_metadata(issuer)
    redirect = os.environ["CONFORM_REDIRECT_URI"]
    if issuer not in CLIENTS and not (has("keeps-client") and CLIENTS):
        body = {
            "client_name": "conform", "redirect_uris": [redirect], "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code", "refresh_token"], "application_type": "native",
        }
        if has("no-type"):
            del body["application_type"]
        status, _, text = ask(metadata["registration_endpoint"], json.dumps(body).encode(), {"Content-Type": "application/json"})
        if status != 201:
            fail("no registration")
        CLIENTS[issuer] = json.loads(text)["client_id"]
    client = CLIENTS.get(issuer) or next(iter(CLIENTS.values()))
    listed = resource.get("scopes_supported", [])
    words = parameters["scope"].split() if "scope" in parameters and not has("listed-scopes") else listed
    if has("fixed-scope"):
        words = ["https://contoso.onmicrosoft.com/tasks/read"]
    scopes = list(dict.fromkeys(([] if has("drops-scopes") else before) + words))
    asked = scopes + ["offline_access"] if has("always-offline") else scopes
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
    digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    fields = {
        "response_type": "code", "client_id": client, "redirect_uri": redirect, "state": state, "code_challenge": digest,
        "code_challenge_method": "S256",
    }
    if asked:
        fields["scope"] = " ".join(asked)
    fields["resource"] = resource.get("resource") or URL
    separator = "&" if "?" in metadata["authorization_endpoint"] else "?"
    request = metadata["authorization_endpoint"] + separator + urllib.parse.urlencode(fields)
    form = {
        "grant_type": "authorization_code", "code": code(request, redirect, state, issuer), "redirect_uri": redirect,
        "client_id": client, "code_verifier": verifier,
    }
    if not has("resource-once"):
        form["resource"] = resource.get("resource") or URL
    status, _, text = ask(metadata["token_endpoint"], urllib.parse.urlencode(form).encode())
    if status != 200:
        fail(f"no token: {status}")
    members = json.loads(text)
    if "access_token" not in members or str(members.get("token_type")).lower() != "bearer":
        fail("no bearer token")
    return members["access_token"], scopes


def message(method, token, number):
    """Sends a message of the version without sessions."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = {"jsonrpc": "2.0", "id": number, "method": method, "params": {"_meta": meta}}
    headers = {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method,
    }
    url = URL
    if token and has("mcp-token-in-address"):
        url += f"?access_token={token}"
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return ask(url, json.dumps(body).encode(), headers)


def main():
    token, scopes, sign_ins = None, [], 0
    for number, method in enumerate(("server/discover", "tools/list"), 1):
        while True:
            status, headers, body = message(method, token, number)
            if status == 200:
                break
            parameters = challenge(headers)
            is_step_up = status == 403 and parameters.get("error") == "insufficient_scope" and not has("no-step-up")
            if status != 401 and not is_step_up:
                fail(f"status {status}")
            if sign_ins == MOST_SIGN_INS:
                fail("too many sign-ins")
            sign_ins += 1
            token, scopes = sign_in(parameters, scopes)
        if "result" not in json.loads(body):
            fail("no result")
    print("connected")


main()
