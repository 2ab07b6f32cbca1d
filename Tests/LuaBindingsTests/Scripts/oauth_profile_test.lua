-- Profiles: oauth2.1 and fapi2 refuse what they forbid before a request, set what they demand, and check the responses.

local b2c = require "b2c"
local accounts, jose, json, oauth, tenant = b2c.accounts, b2c.jose, b2c.json, b2c.oauth, b2c.tenant
local support = require "support"
local equal, failure, sign_in = support.equal, support.failure, support.sign_in

--- Checks that the call is refused by the section of the profile, without a request to these endpoints.
local function refused(section, f, ...)
  local before = support.count("POST", "/token") + support.count("POST", "/par") + support.count("GET", "/authorize")
  local e = failure(f, ...)
  equal(e.code, "profile_violation")
  equal(e.details.section, section)
  equal(e.message:find(section, 1, true) ~= nil, true)
  equal(e.hint ~= nil, true)
  equal(support.count("POST", "/token") + support.count("POST", "/par") + support.count("GET", "/authorize"), before)
  return e
end

-- OAuth 2.1
local draft = b2c.settings.with { profile = "oauth2.1" }
equal(sign_in { settings = draft, account_type = "2.1" }.name, "Alice Liddell")
local e = refused("10", sign_in, { profile = "oauth2.1", flow = "password" })
equal(e.message, "OAuth 2.1, 10: the password grant must not be used (grant_type password)")
local function requesting(options)
  return function() return oauth.authorize_url(options) end
end
refused("10.1", sign_in, { profile = "oauth2.1", flow = requesting { response_type = "token", nonce = "n" } })
refused("4.1.1", sign_in, { profile = "oauth2.1", flow = requesting {} })
refused("4.1.1", sign_in, { profile = "oauth2.1", flow = requesting { pkce = oauth.pkce "plain" } })
refused("1.5", sign_in, {
  profile = "oauth2.1", flow = requesting { pkce = oauth.pkce(), redirect_uri = "http://example.com/back" },
})
refused("2.3.1", sign_in, {
  profile = "oauth2.1", flow = requesting { pkce = oauth.pkce(), redirect_uri = "https://*.example.com/back" },
})

-- A refresh keeps to the profile of the sign-in. A provider that does not rotate tokens is told of.
local public = sign_in { profile = "oauth2.1", account_type = "rotation" }
public:refresh()
tenant.configure { rotate_refresh_tokens = false }
public:refresh()
local console <close> = assert(io.open(b2c.args.console))
local told = console:read "a"
equal(told:find("OAuth 2.1, 4.3: a refresh token of a public client must be bound to a key", 1, true) ~= nil, true)
tenant.configure { rotate_refresh_tokens = true }

-- FAPI 2.0 at a tenant that enforces it: the settings are those of an application with a key.
local requests = #tenant.requests()
refused("5.3.3.1", sign_in, { profile = "fapi2" })
equal(#tenant.requests(), requests)
tenant.configure { profile = "fapi2" }
equal(b2c.settings.profile, "fapi2")
local account = sign_in {}
equal(account:token_type(), "DPoP")
account:refresh()
local header = oauth.decode(account:id_token())
equal(header.alg, "ES256")
b2c.tasks.add "Buy milk"
equal(#b2c.tasks.list(), 1)

refused("5.3.3.1", sign_in, { dpop = false })
refused("5.3.3.2", sign_in, { par = false })
refused("5.3.2.1", sign_in, { flow = "password" })
refused("5.3.2.2", sign_in, { flow = requesting { response_type = "code id_token", nonce = "n", pkce = oauth.pkce() } })
refused("5.3.3.2", sign_in, { flow = requesting {} })
refused("5.3.3.2", sign_in, { flow = requesting { pkce = oauth.pkce "plain" } })
refused("5.3.3.1", sign_in, { settings = b2c.settings.with { clientAuthentication = "none" } })
refused("5.3.3.1", sign_in, {
  settings = b2c.settings.with { clientKey = json.null, clientAuthentication = json.null, clientSecret = "secret" },
})
refused("5.3.3.1", sign_in, { settings = b2c.settings.with { clientAssertionAudience = "endpoint" } })
refused("5.3.3.1", oauth.token, { grant_type = "client_credentials" })
equal(failure(sign_in, { dpop = jose.key.generate { alg = "ES384" } }).code, "invalid_key")

-- The response is checked, too.
tenant.fault { iss = "missing" }
e = failure(sign_in, {})
equal(e.code .. " " .. e.details.section, "profile_violation 5.3.3.2")
tenant.fault { dpop = "bearer" }
equal(failure(sign_in, {}).code, "unsupported_token_type")
tenant.configure { signing_algorithm = "RS256" }
e = failure(sign_in, {})
equal(e.code .. " " .. e.details.section, "profile_violation 5.4.1")
tenant.configure { profile = "fapi2" }

-- The same client without the profile: the tenant enforces it by itself.
local plain = b2c.settings.with { profile = json.null }
equal(failure(sign_in, { settings = plain, par = false, dpop = true }).code, "invalid_request")
equal(failure(sign_in, { settings = plain, par = true, dpop = false }).code, "invalid_dpop_proof")
equal(sign_in({ settings = plain, par = true, dpop = true, account_type = "plain" }).name, "Alice Liddell")
local native = plain.with {
  clientID = tenant.applications.native.client_id, clientAuthentication = json.null, clientKey = json.null,
}
equal(failure(sign_in, { settings = native, par = true }).code, "invalid_client")

tenant.configure { profile = "none" }
equal(b2c.settings.profile, nil)
equal(sign_in({ account_type = "afterwards" }):token_type(), "Bearer")
