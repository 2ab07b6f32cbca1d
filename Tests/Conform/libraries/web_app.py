"""A web application with Flask and Authlib: web_app.py PORT METADATA_URL CLIENT_ID CLIENT_SECRET."""

import sys

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

port, metadata_url, client_id, client_secret = sys.argv[1:5]
app = Flask(__name__)
app.secret_key = "only-for-tests"
oauth = OAuth(app)
oauth.register(
    "tenant", client_id=client_id, client_secret=client_secret, server_metadata_url=metadata_url,
    client_kwargs={"scope": "openid", "code_challenge_method": "S256"})


@app.get("/")
def home():
    return f"Hello {session['name']}" if "name" in session else redirect(url_for("login"))


@app.get("/login")
def login():
    return oauth.tenant.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    session["name"] = oauth.tenant.authorize_access_token()["userinfo"]["name"]
    return redirect(url_for("home"))


app.run(port=int(port))
