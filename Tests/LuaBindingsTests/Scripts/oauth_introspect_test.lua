-- Introspection (RFC 7662), also with signed answers (RFC 9701), and userinfo (OpenID Connect Core, 5.3).

local b2c = require "b2c"
local accounts, oauth, settings, tenant = b2c.accounts, b2c.oauth, b2c.settings, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure

local alice = support.sign_in()
local web = settings.with {
  clientID = tenant.applications.web.client_id, clientSecret = tenant.applications.web.client_secret,
}

--- Calls a function with other settings, as a flow does.
local function as(other, f, ...)
  local arguments = { ... }
  local answer
  local _, e = pcall(accounts.sign_in, {
    settings = other, agent = "headless",
    flow = function() answer = { pcall(f, table.unpack(arguments)) } error "over" end,
  })
  assert(answer, e)
  if not answer[1] then error(answer[2], 0) end
  return table.unpack(answer, 2)
end

-- A token of this application
local answer = oauth.introspect(alice:token())
equal(answer.active, true)
equal(answer.client_id, settings.clientID)
equal(answer.username, "alice")
equal(answer.sub, alice.claims.sub)
equal(answer.token_type, "Bearer")
equal(oauth.introspect("nonsense").active, false)
equal(oauth.introspect("nonsense").sub, nil)
equal(oauth.introspect(alice:id_token()).active, false)
equal(as(web, oauth.introspect, alice:token()).active, false, "a token of another application")
equal(failure(as, settings.with { clientID = web.clientID, clientSecret = "wrong" }, oauth.introspect, "x").code, "AADB2C90081")

-- Refresh tokens, expiry
local tokens = oauth.token {
  grant_type = "password", policy = "ropc", username = "alice", password = "Wonderland-1", scopes = settings.scopes,
}
answer = oauth.introspect(tokens.refresh_token, { hint = "refresh_token", policy = "ropc" })
equal(answer.active, true)
equal(answer.username, "alice")
oauth.revoke(tokens.refresh_token)
equal(oauth.introspect(tokens.refresh_token).active, false)
equal(oauth.introspect(tokens.access_token).active, false, "revoked with its sign-in")

-- Signed
answer = oauth.introspect(alice:token(), { jwt = true })
equal(answer.active, true)
equal(answer.sub, alice.claims.sub)
equal(answer.iss, oauth.metadata().issuer)
local endpoint = oauth.metadata().introspection_endpoint
tenant.fault { introspection = "other_audience" }
local e = failure(oauth.introspect, alice:token(), { jwt = true })
equal(e.code, "audience_mismatch")
equal(e.message, ("the introspection response is for another application (aud): expected %q, got %q"):format(
  settings.clientID, "e1f0b3a4-2c77-4b0e-8c19-6d8f0a5b7c21"))
tenant.fault { introspection = "json" }
e = failure(oauth.introspect, alice:token(), { jwt = true })
equal(e.code, "unsigned_response")
equal(e.message, "the introspection endpoint " .. endpoint .. " should have signed its answer, and answered with JSON")
for _, jwt in ipairs { false, true } do
  tenant.fault { introspection = "no_active" }
  e = failure(oauth.introspect, alice:token(), { jwt = jwt })
  equal(e.code, "malformed_response")
  equal(e.message, ("the introspection endpoint %s answered with no active, which must be true or false (RFC 7662, 2.2)"):format(endpoint))
end
-- A token of the provider that is no introspection response
tenant.fault {
  path = "*/introspection", status = 200, body = alice:id_token():reveal(),
  headers = { ["Content-Type"] = "application/token-introspection+jwt" },
}
e = failure(oauth.introspect, alice:token(), { jwt = true })
equal(e.code, "malformed_token")
equal(e.message, 'the token is no introspection response (typ): expected "token-introspection+jwt", got "JWT"')
tenant.advance(3601)
equal(oauth.introspect(tokens.access_token, { jwt = true }).active, false)

-- Userinfo of an account, of a token response, and of a bare token
alice:refresh()
local claims, compared = oauth.userinfo(alice)
equal(claims.sub, alice.claims.sub)
equal(claims.name, "Alice Liddell")
equal(compared, true)
tokens = oauth.token {
  grant_type = "password", policy = "ropc", username = "bob", password = "Skyscraper-2", scopes = settings.scopes,
}
claims, compared = oauth.userinfo(tokens)
equal(claims.name, "Bob Baumeister")
equal(compared, true)
claims, compared = oauth.userinfo(tokens.access_token)
equal(claims.name, "Bob Baumeister")
equal(compared, false)
claims, compared = oauth.userinfo(tokens.access_token, { subject = claims.sub })
equal(compared, true)

-- Another user's claims
endpoint = oauth.metadata().userinfo_endpoint
e = failure(oauth.userinfo, tokens.access_token, { subject = alice.claims.sub })
equal(e.code, "subject_mismatch")
equal(e.message, ("the userinfo endpoint %s answered with the claims of another user (sub): expected %q, got %q"):format(
  endpoint, alice.claims.sub, claims.sub))
tenant.fault { userinfo = "other_user" }
equal(failure(oauth.userinfo, alice).code, "subject_mismatch")
tenant.fault { userinfo = "unsigned" }
e = failure(oauth.userinfo, alice)
equal(e.code, "algorithm_not_allowed")
assert(e.message:find("the userinfo response is signed in a way that is not allowed (alg)", 1, true), e.message)

-- The reason in WWW-Authenticate
e = failure(oauth.userinfo, "nonsense")
equal(e.code, "invalid_token")
equal(e.status, 401)
assert(e.message:find("the access token is not valid", 1, true), e.message)
tenant.fault { path = "*/userinfo", status = 401 }
e = failure(oauth.userinfo, alice)
equal(e.code, "http_401")
equal(e.hint, "the provider does not take this access token there; ask for the scope openid")
tenant.fault { path = "*/userinfo", status = 200, body = '{"name":"Alice"}' }
e = failure(oauth.userinfo, alice)
equal(e.message, ("the userinfo endpoint %s answered without a sub (OpenID Connect Core, 5.3.2)"):format(endpoint))
equal(support.message(oauth.userinfo, {}), "oauth.userinfo: argument 1: the token response has no access_token")

-- Bound to a key
local bound = support.sign_in { dpop = true, account_type = "bound" }
equal(oauth.userinfo(bound).name, "Alice Liddell")
tenant.require { "dpop_nonce" }
equal(oauth.userinfo(bound).name, "Alice Liddell")
tenant.require {}
local key = b2c.jose.key.generate { alg = "ES256" }
tokens = oauth.token {
  grant_type = "password", policy = "ropc", username = "bob", password = "Skyscraper-2", scopes = settings.scopes, dpop = key,
}
equal(oauth.userinfo(tokens).name, "Bob Baumeister")
equal(oauth.userinfo(tokens.access_token, { dpop = key }).name, "Bob Baumeister")
e = failure(oauth.userinfo, tokens.access_token)
assert(e.message:find("the access token is bound to a key, and needs the type DPoP with a proof", 1, true), e.message)

-- A signed answer, for an application that is registered for it
local app = oauth.register {
  client_name = "Signed", token_endpoint_auth_method = "none", userinfo_signed_response_alg = "RS256",
  redirect_uris = { settings.redirectURL },
}
local signed = settings.with { clientID = app.client_id, scopes = { "openid", app.client_id } }
local account = support.sign_in { settings = signed, account_type = "signed", scopes = { "openid", app.client_id } }
claims, compared = oauth.userinfo(account)
equal(claims.aud, app.client_id)
equal(claims.name, "Alice Liddell")
equal(compared, true)
-- The answer for one application is refused by another one.
e = failure(oauth.userinfo, account:token(), { subject = account.claims.sub })
equal(e.code, "audience_mismatch")
assert(e.message:find("the userinfo response is for another application (aud)", 1, true), e.message)

-- A provider without these endpoints
local document = b2c.http.get(settings.authority .. "/v2.0/.well-known/openid-configuration").json()
document.introspection_endpoint, document.userinfo_endpoint, document.backchannel_authentication_endpoint = nil, nil, nil
local bare = settings.with { clientID = "bare" }
for _ = 1, 1 do
  tenant.fault { path = "*openid-configuration", status = 200, body = b2c.json.encode(document), times = 3 }
  e = failure(as, bare, oauth.introspect, "x")
  equal(e.code, "missing_endpoint")
  equal(e.hint, "Azure AD B2C and Microsoft Entra have no introspection; check the token with oauth.verify")
  equal(failure(as, bare, oauth.userinfo, "x").code, "missing_endpoint")
  equal(failure(as, bare, oauth.backchannel, { login_hint = "alice" }).code, "missing_endpoint")
  tenant.clear_faults()
end
