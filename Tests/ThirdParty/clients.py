"""Unmodified OpenID Connect clients sign in against `b2c-run tenant --tls`.

Usage: clients.py PATH_OF_B2C_RUN
"""

import html.parser
import os
import subprocess
import sys
import tempfile
import urllib.parse

import requests

DOMAIN = "contoso.onmicrosoft.com"
POLICY = "B2C_1_susi"
PASSWORD_POLICY = "B2C_1_ropc"
REDIRECT_URI = "http://localhost:8400/callback"
TASK_SCOPES = [f"https://{DOMAIN}/tasks/read", f"https://{DOMAIN}/tasks/write"]


class FormReader(html.parser.HTMLParser):
    """The first form of a page: its action and its current values."""

    @classmethod
    def submit(cls, browser, page, **values):
        """Fills in the form of a page and sends it."""
        form = cls(page.text)
        assert form.action, page.text
        url = urllib.parse.urljoin(page.url, form.action)
        return browser.post(url, data={**form.fields, **values})

    def __init__(self, page):
        super().__init__()
        self.action = None
        self.fields = {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form" and self.action is None:
            self.action = attributes["action"]
        elif tag == "input" and attributes.get("name"):
            self.fields[attributes["name"]] = attributes.get("value") or ""


class Tenant:
    """A running tenant, with the settings from its banner."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [program, "tenant", "--port", "0", "--tls"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "XDG_DATA_HOME": self.folder.name},
        )
        for line in self.process.stdout:
            words = line.split()
            if line.startswith("Local tenant"):
                self.url = words[-1].replace("127.0.0.1", "localhost")
            elif words[:2] == ["public", "app"]:
                self.client_id = words[2]
            elif words[:2] == ["web", "app"]:
                self.web_client_id, self.web_secret = words[2].rstrip(","), words[4]
            elif words[:2] == ["CA", "file"]:
                self.ca_file = words[2]
            elif words[:1] == ["alice"]:
                self.username, self.password = words[0], words[2]
            elif line.startswith("</plist>"):
                break
        self.authority = f"{self.url}/{DOMAIN}/{POLICY}"
        self.issuer = f"{self.authority}/v2.0"

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
        self.folder.cleanup()

    def sign_in(self, authorization_url):
        """Signs in like a user in a browser. Returns the URL of the redirect to the client."""
        browser = requests.Session()
        browser.verify = self.ca_file
        page = browser.get(authorization_url)
        page.raise_for_status()
        form = FormReader(page.text)
        form.fields.update(
            logonIdentifier=self.username, password=self.password, action="sign_in"
        )
        answer = browser.post(
            urllib.parse.urljoin(page.url, form.action),
            data=form.fields,
            allow_redirects=False,
        )
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]

    def connect_device(self, verification_url):
        """Connects a device like a user who enters the device's code."""
        browser = requests.Session()
        browser.verify = self.ca_file
        page = browser.get(verification_url)
        page = FormReader.submit(browser, page, action="next")
        page = FormReader.submit(
            browser,
            page,
            logonIdentifier=self.username,
            password=self.password,
            action="sign_in",
        )
        page = FormReader.submit(browser, page, action="continue")
        assert "You are signed in" in page.text, page.text

    def check_tasks(self, access_token):
        """Checks that the task API accepts the token."""
        headers = {"Authorization": f"Bearer {access_token}"}
        tasks = f"{self.url}/api/tasks"
        added = requests.post(
            tasks, data={"Text": "Buy milk"}, headers=headers, verify=self.ca_file
        )
        assert added.status_code == 201, added.text
        listed = requests.get(tasks, headers=headers, verify=self.ca_file).json()
        assert added.json() in listed


def parameters(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


def check_msal(tenant, make_application, scopes):
    application = make_application()
    flow = application.initiate_auth_code_flow(scopes=scopes, redirect_uri=REDIRECT_URI)
    callback = tenant.sign_in(flow["auth_uri"])
    result = application.acquire_token_by_auth_code_flow(flow, parameters(callback))
    assert "access_token" in result, result
    assert result["id_token_claims"]["emails"] == ["alice@contoso.example"]
    tenant.check_tasks(result["access_token"])
    (account,) = application.get_accounts()
    renewed = application.acquire_token_silent_with_error(
        scopes, account=account, force_refresh=True
    )
    assert renewed and "access_token" in renewed, renewed
    assert renewed["access_token"] != result["access_token"]


def msal_public_by_b2c_authority(tenant):
    import msal

    check_msal(
        tenant,
        lambda: msal.PublicClientApplication(
            tenant.client_id, authority=tenant.authority, verify=tenant.ca_file
        ),
        TASK_SCOPES,
    )


def msal_public_by_oidc_authority(tenant):
    import msal

    check_msal(
        tenant,
        lambda: msal.PublicClientApplication(
            tenant.client_id, oidc_authority=tenant.issuer, verify=tenant.ca_file
        ),
        [tenant.client_id],
    )


def msal_confidential(tenant):
    import msal

    check_msal(
        tenant,
        lambda: msal.ConfidentialClientApplication(
            tenant.web_client_id,
            client_credential=tenant.web_secret,
            authority=tenant.authority,
            verify=tenant.ca_file,
        ),
        TASK_SCOPES,
    )


class PortKeeper(requests.Session):
    """Keeps the authority's port, which MSAL drops when it requests the realm of a user."""

    def __init__(self, tenant):
        super().__init__()
        self.verify = tenant.ca_file
        self.url = tenant.url

    def get(self, url, **options):
        return super().get(url.replace("https://localhost/", f"{self.url}/"), **options)


def msal_password(tenant):
    import msal

    application = msal.PublicClientApplication(
        tenant.client_id,
        authority=f"{tenant.url}/{DOMAIN}/{PASSWORD_POLICY}",
        http_client=PortKeeper(tenant),
    )
    wrong, result = (
        application.acquire_token_by_username_password(
            tenant.username, password, TASK_SCOPES
        )
        for password in ("wrong", tenant.password)
    )
    assert wrong["error_description"].startswith("AADB2C90225: "), wrong
    assert "access_token" in result, result
    assert result["id_token_claims"]["tfp"] == PASSWORD_POLICY.lower()
    tenant.check_tasks(result["access_token"])


def msal_client_credentials(tenant):
    import msal

    application = msal.ConfidentialClientApplication(
        tenant.web_client_id,
        client_credential=tenant.web_secret,
        authority=tenant.authority,
        verify=tenant.ca_file,
    )
    result = application.acquire_token_for_client(
        [f"https://{DOMAIN}/tasks/.default"]
    )
    assert "access_token" in result, result
    tenant.check_tasks(result["access_token"])


def msal_device(tenant):
    import msal

    application = msal.PublicClientApplication(
        tenant.client_id, authority=tenant.authority, verify=tenant.ca_file
    )
    flow = application.initiate_device_flow(TASK_SCOPES)
    assert "user_code" in flow, flow
    tenant.connect_device(
        f"{flow['verification_uri']}?user_code={flow['user_code']}"
    )
    result = application.acquire_token_by_device_flow(flow)
    assert "access_token" in result, result
    tenant.check_tasks(result["access_token"])


def check_authlib(tenant, **client):
    from authlib.common.security import generate_token
    from authlib.integrations.requests_client import OAuth2Session
    from authlib.jose import JsonWebKey, jwt
    from authlib.oidc.core import CodeIDToken

    session = OAuth2Session(
        scope="openid offline_access " + " ".join(TASK_SCOPES),
        redirect_uri=REDIRECT_URI,
        code_challenge_method="S256",
        **client,
    )
    session.verify = tenant.ca_file
    metadata = session.get(
        f"{tenant.issuer}/.well-known/openid-configuration", withhold_token=True
    ).json()
    verifier, nonce = generate_token(48), generate_token(20)
    url, state = session.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    token = session.fetch_token(
        metadata["token_endpoint"],
        authorization_response=tenant.sign_in(url),
        state=state,
        code_verifier=verifier,
    )
    keys = session.get(metadata["jwks_uri"], withhold_token=True).json()
    claims = jwt.decode(
        token["id_token"],
        JsonWebKey.import_key_set(keys),
        claims_cls=CodeIDToken,
        claims_options={
            "iss": {"essential": True, "value": metadata["issuer"]},
            "aud": {"essential": True, "value": client["client_id"]},
        },
        claims_params={"nonce": nonce, "access_token": token["access_token"]},
    )
    claims.validate()
    tenant.check_tasks(token["access_token"])
    renewed = session.refresh_token(
        metadata["token_endpoint"], refresh_token=token["refresh_token"]
    )
    tenant.check_tasks(renewed["access_token"])
    answer = session.revoke_token(
        metadata["revocation_endpoint"], token=renewed["refresh_token"]
    )
    assert answer.status_code == 200, answer.text
    refused = requests.get(
        f"{tenant.url}/api/tasks",
        headers={"Authorization": f"Bearer {renewed['access_token']}"},
        verify=tenant.ca_file,
    )
    assert refused.status_code == 401, refused.text


def authlib_public(tenant):
    check_authlib(
        tenant, client_id=tenant.client_id, token_endpoint_auth_method="none"
    )


def authlib_basic(tenant):
    check_authlib(
        tenant,
        client_id=tenant.web_client_id,
        client_secret=tenant.web_secret,
        token_endpoint_auth_method="client_secret_basic",
    )


def authlib_post(tenant):
    check_authlib(
        tenant,
        client_id=tenant.web_client_id,
        client_secret=tenant.web_secret,
        token_endpoint_auth_method="client_secret_post",
    )


def pyoidc(tenant):
    from oic.oic import Client
    from oic.oic.message import AuthorizationResponse, RegistrationResponse
    from oic.utils.authn.client import CLIENT_AUTHN_METHOD
    from oic.utils.settings import OicClientSettings

    client = Client(
        client_authn_method=CLIENT_AUTHN_METHOD,
        settings=OicClientSettings(verify_ssl=tenant.ca_file),
    )
    # This call compares the issuer with the address of the document.
    client.provider_config(tenant.issuer)
    client.store_registration_info(
        RegistrationResponse(
            client_id=tenant.web_client_id,
            client_secret=tenant.web_secret,
            redirect_uris=[REDIRECT_URI],
        )
    )
    request = client.construct_AuthorizationRequest(
        request_args={
            "response_type": "code",
            "scope": ["openid", tenant.web_client_id],
            "redirect_uri": REDIRECT_URI,
            "state": "a-state",
            "nonce": "a-nonce",
        }
    )
    callback = tenant.sign_in(request.request(client.authorization_endpoint))
    answer = client.parse_response(
        AuthorizationResponse,
        info=urllib.parse.urlsplit(callback).query,
        sformat="urlencoded",
    )
    token = client.do_access_token_request(
        state=answer["state"],
        request_args={"code": answer["code"], "redirect_uri": REDIRECT_URI},
        authn_method="client_secret_basic",
    )
    assert "error" not in token, token
    assert token["id_token"]["nonce"] == "a-nonce"
    tenant.check_tasks(token["access_token"])


def idpyoidc(tenant):
    """With PKCE and DPoP. Its pushed requests wait for the status 200, in place of 201 (RFC 9126, 2.2)."""
    import logging

    from idpyoidc.client.oauth2.stand_alone_client import StandAloneClient

    # It logs each step as an error.
    logging.disable()
    add_ons = "idpyoidc.client.oauth2.add_on"
    client = StandAloneClient(
        client_type="oidc",
        config={
            "base_url": "http://localhost:8400",
            "issuer": tenant.issuer,
            "client_id": tenant.web_client_id,
            "client_secret": tenant.web_secret,
            "redirect_uris": [REDIRECT_URI],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "scopes_supported": ["openid", *TASK_SCOPES],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "provider_info": {"issuer": tenant.issuer},
            "httpc_params": {"verify": tenant.ca_file},
            "add_ons": {
                "pkce": {
                    "function": f"{add_ons}.pkce.add_support",
                    "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"},
                },
                "dpop": {
                    "function": f"{add_ons}.dpop.add_support",
                    "kwargs": {"dpop_signing_alg_values_supported": ["ES256"]},
                },
            },
        },
    )
    client.do_provider_info()
    client.do_client_registration()
    callback = tenant.sign_in(client.init_authorization())
    answer = client.finalize_auth(parameters(callback))
    token = client.get_tokens(answer["state"])
    assert token["token_type"] == "DPoP", token
    assert "name" in token["__verified_id_token"], token


CLIENTS = [
    msal_public_by_b2c_authority,
    msal_public_by_oidc_authority,
    msal_confidential,
    msal_password,
    msal_client_credentials,
    msal_device,
    authlib_public,
    authlib_basic,
    authlib_post,
    pyoidc,
    idpyoidc,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    # Some clients refuse http redirect URIs on this machine unless this variable is set.
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    tenant = Tenant(sys.argv[1])
    # If this variable is set, it overrides a session's own setting.
    os.environ["REQUESTS_CA_BUNDLE"] = tenant.ca_file
    failed = 0
    try:
        for client in CLIENTS:
            try:
                client(tenant)
                print(f"ok      {client.__name__}")
            except Exception as error:
                failed += 1
                print(f"FAILED  {client.__name__}: {type(error).__name__}: {error}")
    finally:
        tenant.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
