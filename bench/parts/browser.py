"""Signs in like a browser and an app: the page, the password, the code, the tokens. It uses only the standard library and
one connection that is kept open."""

import base64
import hashlib
import json
import secrets
from html.parser import HTMLParser
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

from .tools import Unavailable

REDIRECT_URI = "http://127.0.0.1/"


class Form(HTMLParser):
    """The first form of a page: its action and its fields."""

    def __init__(self, page: str):
        super().__init__()
        self.action, self.fields, self.password_field, self.user_field = None, {}, None, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form" and self.action is None:
            self.action = values.get("action", "")
        name, kind = values.get("name"), values.get("type", "text")
        if tag == "input" and name:
            self.fields[name] = values.get("value") or ""
            if kind == "password":
                self.password_field = name
            elif kind in ("text", "email") and self.user_field is None:
                self.user_field = name
        elif tag == "button" and name and name not in self.fields:
            self.fields[name] = values.get("value") or ""


class Browser:
    def __init__(self, url: str):
        self.connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
        self.cookies = {}

    def exchange(self, method: str, url: str, fields=None) -> tuple[int, str, str]:
        """Returns the status, the body, and the address of the redirect (None without a redirect)."""
        parts = urlsplit(url)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        body = None
        if fields is not None:
            body = urlencode(fields)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, parts.path + (f"?{parts.query}" if parts.query else ""), body, headers)
        response = self.connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        for line in response.headers.get_all("Set-Cookie") or []:
            for name, cookie in SimpleCookie(line).items():
                self.cookies[name] = cookie.value
        location = response.headers.get("Location")
        return response.status, text, location and urljoin(url, location)

    def follow(self, method: str, url: str, fields=None) -> tuple[str, str]:
        """Follows redirects. Returns the last page and its address, or the redirect URI of the app."""
        for _ in range(10):
            status, text, location = self.exchange(method, url, fields)
            if not location:
                if status != 200:
                    raise Unavailable(f"{method} {url.split('?')[0]} answered {status}: {text[:300]}")
                return text, url
            if location.startswith(REDIRECT_URI):
                return "", location
            method, url, fields = "GET", location, None
        raise Unavailable(f"too many redirects from {url.split('?')[0]}")


def sign_in(client: dict, user: str, password: str) -> str:
    """Returns an access token for the task API."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    state = secrets.token_urlsafe(12)
    query = urlencode({
        "client_id": client["clientID"], "response_type": "code", "redirect_uri": REDIRECT_URI, "state": state,
        "nonce": secrets.token_urlsafe(12), "scope": f"openid offline_access {client['clientID']}",
        "code_challenge": challenge, "code_challenge_method": "S256",
    })
    address = client["authURL"]
    browser = Browser(address)
    page, url = browser.follow("GET", address + ("&" if "?" in address else "?") + query)
    form = Form(page)
    if form.action is None or not form.password_field or not form.user_field:
        raise Unavailable(f"the sign-in page at {url.split('?')[0]} has no form with a user name and a password")
    form.fields[form.user_field] = user
    form.fields[form.password_field] = password
    _, url = browser.follow("POST", urljoin(url, form.action), form.fields)
    answer = parse_qs(urlsplit(url).query)
    if answer.get("state") != [state] or "code" not in answer:
        raise Unavailable(f"the sign-in did not end at the app: {url.split('?')[0]} {sorted(answer)}")
    _, text, _ = browser.exchange("POST", client["tokenURL"], {
        "grant_type": "authorization_code", "client_id": client["clientID"], "code": answer["code"][0],
        "redirect_uri": REDIRECT_URI, "code_verifier": verifier,
    })
    browser.connection.close()
    tokens = json.loads(text)
    if "access_token" not in tokens:
        raise Unavailable(f"no access token: {text[:300]}")
    return tokens["access_token"]
