"""Signs in with requests-oauthlib, which reads no ID token: with_requests_oauthlib.py AUTHORIZE_URL TOKEN_URL CLIENT_ID REDIRECT_URI API."""

import sys

from requests_oauthlib import OAuth2Session

import loopback

authorize_url, token_url, client_id, redirect_uri, api = sys.argv[1:6]
session = OAuth2Session(
    client_id, redirect_uri=redirect_uri, scope=["https://contoso.onmicrosoft.com/tasks/read"], pkce="S256")
url, state = session.authorization_url(authorize_url)
session.fetch_token(token_url, authorization_response=loopback.answer(redirect_uri, url), include_client_id=True)
session.get(api, timeout=15).raise_for_status()
print("signed in")
