-- A custom grant: an assertion (RFC 7521, RFC 7523). A web API exchanges the access token that it was called with for
-- another access token, to call the next API on behalf of the user. Microsoft Entra and a local tenant of the kind External ID
-- support this grant; Azure AD B2C does not. oauth.on_behalf_of sends the same request.
--
--   b2c-run --local examples/flows/custom_grant.lua

local b2c = require "b2c"
local accounts, oauth, settings, tenant = b2c.accounts, b2c.oauth, b2c.settings, b2c.tenant

tenant.configure { kind = "external_id" }

-- The user signs in to the app for the web API. The web API's client ID is the scope.
local web = tenant.applications.web
local user = accounts.sign_in {
  account_type = "app",
  scopes = { "openid", "offline_access", web.client_id },
  agent = "headless", username = "alice", password = "Wonderland-1",
}
print("the app has a token for " .. select(2, oauth.decode(user:token())).aud)

-- The web API has a secret and requests access to the tasks.
local api = accounts.sign_in {
  account_type = "api",
  settings = settings.with { clientID = web.client_id, clientSecret = web.client_secret },
  scopes = { "openid", "https://contoso.onmicrosoft.com/tasks/read" },
  flow = function(ctx)
    return oauth.token {
      grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer",
      requested_token_use = "on_behalf_of",
      policy = ctx.policy,
      scopes = ctx.options.scopes,
      assertion = user:token(),
    }
  end,
}
local _, claims = oauth.decode(api:token())
print(("the API has one for %s, in the name of %s, to %s"):format(claims.aud, claims.name, claims.scp))
