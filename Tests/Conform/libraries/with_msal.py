"""Signs in with MSAL: with_msal.py AUTHORITY CLIENT_ID."""

import sys

import msal

authority, client_id = sys.argv[1:3]
application = msal.PublicClientApplication(client_id, oidc_authority=authority)
result = application.acquire_token_interactive(
    ["https://contoso.onmicrosoft.com/tasks/read"], timeout=15)
if "access_token" not in result:
    sys.exit(f"not signed in: {result.get('error')}: {result.get('error_description')}")
print("signed in")
