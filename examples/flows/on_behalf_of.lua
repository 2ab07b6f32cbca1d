-- On behalf of: a web API exchanges the access token that it was called with for a token for the next API, in the name of the
-- same user. Microsoft Entra has this grant; Azure AD B2C does not, so the tenant is of the kind External ID here.
--
--   b2c-run --local examples/flows/on_behalf_of.lua

local b2c = require "b2c"
local accounts, oauth, tenant = b2c.accounts, b2c.oauth, b2c.tenant

tenant.configure { kind = "external_id" }

-- The user signs in to the app for the web API. The web API's client ID is the scope.
local web = tenant.applications.web
local user = accounts.sign_in {
  account_type = "app", scopes = { "openid", "offline_access", web.client_id },
  agent = "headless", username = "alice", password = "Wonderland-1",
}

-- The web API has a secret. In a flow, oauth.on_behalf_of uses the settings of the sign-in.
local api = accounts.sign_in {
  account_type = "api",
  settings = b2c.settings.with { clientID = web.client_id, clientSecret = web.client_secret },
  scopes = { "openid", "https://contoso.onmicrosoft.com/tasks/read" },
  flow = function(ctx)
    return oauth.on_behalf_of { assertion = user:token(), scope = ctx.options.scopes }
  end,
}
local _, claims = oauth.decode(api:token())
print(("the API has a token in the name of %s, to %s"):format(claims.name, claims.scp))
