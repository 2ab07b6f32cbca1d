"""b2c-run ends sessions at Canaille and django-oauth-toolkit, with and without a redirect URI for the sign-out.

Usage: signout.py PATH_OF_B2C_RUN
"""

import datetime
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

SECRET = "a-secret-for-the-test"
CALLBACK, OVER = "http://localhost:8123/callback", "http://localhost:8123/over"

# The account is gone, and nobody is signed in at the provider.
SCRIPT = """
local b2c = require "b2c"
local accounts = b2c.accounts
local account = accounts.sign_in { agent = "headless", session = "s", username = "alice", password = "Wonderland-1" }
print(accounts.sign_out(account, { everywhere = true, session = "s" }))
assert(#accounts.all() == 0, "the account is still there")
local is_in, problem = pcall(accounts.sign_in, { agent = "headless", session = "s" })
assert(not is_in and problem.code == "missing_credentials", "the session at the provider goes on")
"""


def canaille(port):
    from canaille import create_app
    from canaille.app import models
    from canaille.backends import Backend
    from joserfc.jwk import RSAKey

    key = RSAKey.generate_key(2048, {"alg": "RS256", "use": "sig"}, auto_kid=True)
    logging = {"version": 1, "disable_existing_loggers": True}
    app = create_app(
        {
            "SECRET_KEY": "x" * 40,
            "CANAILLE": {"DATABASE": "memory", "LOGGING": logging, "SMTP": None},
            "CANAILLE_OIDC": {"ACTIVE_JWKS": [key.as_dict(private=True)]},
        }
    )
    with app.app_context():
        Backend.instance.save(
            models.User(user_name="alice", family_name="Liddell", emails=["a@example.com"], password="Wonderland-1")
        )
        client = models.Client(
            client_id="app", client_secret=SECRET, client_name="Tasks", client_uri="https://tasks.example.com",
            redirect_uris=[CALLBACK], post_logout_redirect_uris=[OVER], response_types=["code"],
            grant_types=["authorization_code", "refresh_token"], scope=["openid"],
            token_endpoint_auth_method="client_secret_basic",
            client_id_issued_at=datetime.datetime.now(datetime.timezone.utc),
        )  # fmt: skip
        Backend.instance.save(client)
        client.audience = [client]
        Backend.instance.save(client)
    app.run("127.0.0.1", port)


def django(port, prompts):
    import django
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from django.conf import settings

    folder = tempfile.mkdtemp()
    pem = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    processors = ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth"]
    middleware = ["sessions.middleware.Session", "auth.middleware.Authentication"]
    settings.configure(
        SECRET_KEY="x" * 50, ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, LOGIN_URL="/login/", USE_TZ=True,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/db"}},
        INSTALLED_APPS=[f"django.contrib.{name}" for name in ["auth", "contenttypes", "sessions"]] + ["oauth2_provider"],
        MIDDLEWARE=[f"django.contrib.{name}Middleware" for name in middleware],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "DIRS": [folder],
            "OPTIONS": {"context_processors": processors},
        }],
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": pem.decode(), "SCOPES": {"openid": "OpenID"},
            "OIDC_ISS_ENDPOINT": f"http://127.0.0.1:{port}/o", "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
            "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": prompts,
        },
    )  # fmt: skip
    with open(f"{folder}/login.html", "w", encoding="utf-8") as file:
        file.write('<form method=post>{% csrf_token %}{{ form.as_p }}<input type=hidden name=next value="{{ next }}"><button>Go</button></form>')
    django.setup()
    from django.contrib.auth.models import User
    from django.contrib.auth.views import LoginView
    from django.core.management import call_command
    from django.urls import include, path
    from oauth2_provider.models import Application

    # There is no page at the root, where the provider sends the browser without a redirect URI.
    globals()["urlpatterns"] = [
        path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
        path("login/", LoginView.as_view(template_name="login.html")),
    ]
    call_command("migrate", verbosity=0)
    Application.objects.create(
        client_id="app", client_secret=SECRET, user=User.objects.create_user("alice", password="Wonderland-1"),
        client_type="confidential", authorization_grant_type="authorization-code", redirect_uris=CALLBACK,
        post_logout_redirect_uris=OVER, algorithm="RS256", name="Tasks",
    )  # fmt: skip
    call_command("runserver", f"127.0.0.1:{port}", use_reloader=False)


def check(program, provider, path, expected, redirect):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", __file__, provider, str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    authority = f"http://127.0.0.1:{port}{path}"
    try:
        for _ in range(600):
            assert process.poll() is None, f"{provider} has ended"
            try:
                urllib.request.urlopen(f"{authority}/.well-known/openid-configuration", timeout=5).read()
                break
            except OSError:
                time.sleep(0.1)
        with tempfile.TemporaryDirectory() as folder:
            settings = {
                "authority": authority, "redirectURL": CALLBACK, "clientID": "app", "clientSecret": SECRET,
                "scopes": ["openid"], "clientAuthentication": "client_secret_basic",
            }  # fmt: skip
            if redirect:
                settings["postLogoutRedirectURL"] = OVER
            for name, text in [("settings.json", json.dumps(settings)), ("sign-out.lua", SCRIPT)]:
                with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                    file.write(text)
            command = [program, "--quiet", "--settings", "settings.json", "--store", "store", "-A", "sign-out.lua"]
            output = subprocess.run(command, cwd=folder, timeout=120, check=True, stdout=subprocess.PIPE, text=True).stdout
        assert output == f"{expected}\n", output
        print(f"{provider}, {'with' if redirect else 'without'} a redirect URI: {output.strip()}")
    finally:
        process.terminate()
        process.wait()


def main(program):
    # Without a redirect URI, Canaille ends at its sign-in page, and the toolkit at a page that is not there.
    for redirect in [True, False]:
        check(program, "canaille", "", "true", redirect)
        for provider in ["django", "django-prompt"]:
            check(program, provider, "/o", "true" if redirect else "false", redirect)


if len(sys.argv) == 3:
    port = int(sys.argv[2])
    canaille(port) if sys.argv[1] == "canaille" else django(port, sys.argv[1] == "django-prompt")
else:
    main(os.path.abspath(sys.argv[1]))
