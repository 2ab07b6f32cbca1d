"""Signs in with Authlib: authlib_client.py ISSUER CLIENT_ID REDIRECT_URI."""

import sys

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken

import loopback

issuer, client_id, redirect_uri = sys.argv[1:4]
metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=15).json()
session = OAuth2Session(
    client_id, redirect_uri=redirect_uri, scope="openid offline_access", code_challenge_method="S256",
    token_endpoint_auth_method="none")
verifier, nonce = generate_token(48), generate_token(32)
url, state = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
tokens = session.fetch_token(
    metadata["token_endpoint"], authorization_response=loopback.answer(redirect_uri, url), state=state,
    code_verifier=verifier)
keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"], timeout=15).json())
claims = jwt.decode(
    tokens["id_token"], keys, claims_cls=CodeIDToken,
    claims_options={"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client_id}},
    claims_params={"nonce": nonce, "client_id": client_id})
claims.validate(leeway=60)
user = session.get(metadata["userinfo_endpoint"]).json()
print("signed in", user["sub"] == claims["sub"])
