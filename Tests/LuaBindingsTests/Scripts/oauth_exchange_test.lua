-- Token exchange (RFC 8693) and the on-behalf-of grant of Microsoft Entra.

local b2c = require "b2c"
local accounts, http, oauth, settings, tenant = b2c.accounts, b2c.http, b2c.oauth, b2c.settings, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure
local api = "e1f0b3a4-2c77-4b0e-8c19-6d8f0a5b7c21"
local read, write = "https://contoso.onmicrosoft.com/tasks/read", "https://contoso.onmicrosoft.com/tasks/write"

local function password(username, word, scopes)
  return oauth.token {
    grant_type = "password", policy = "ropc", username = username, password = word,
    scopes = scopes or { "openid", "offline_access", settings.clientID },
  }
end
local function decoded(token)
  local _, claims = oauth.decode(token)
  return claims
end

-- Impersonation: a token for the task API in place of one for the application itself
local alice, bob = password("alice", "Wonderland-1"), password("bob", "Skyscraper-2")
local answer = oauth.exchange { subject_token = alice.access_token, audience = api, scope = read }
equal(answer.issued_token_type, "urn:ietf:params:oauth:token-type:access_token")
equal(answer.token_type, "Bearer")
equal(tostring(answer.access_token), "[secret]")
local claims = decoded(answer.access_token)
equal(claims.aud, api)
equal(claims.scp, "read")
equal(claims.name, "Alice Liddell")
equal(claims.act, nil)
local headers = { Authorization = "Bearer " .. answer.access_token:reveal() }
equal(http.get(tenant.url .. "/api/tasks", { headers = headers }).status, 200)

-- By resource; from an ID token and a refresh token; only narrower at the same API
equal(decoded(oauth.exchange { subject_token = alice.access_token, resource = tenant.url .. "/api/tasks" }.access_token).aud, api)
for _, name in ipairs { "id_token", "refresh_token" } do
  answer = oauth.exchange { subject_token = alice[name], subject_token_type = name, scope = { read, write } }
  equal(decoded(answer.access_token).scp, "read write")
end
local narrow = oauth.exchange { subject_token = alice.access_token, scope = read }
local e = failure(oauth.exchange, { subject_token = narrow.access_token, scope = write })
equal(e.code, "AADB2C90117")

-- Delegation, twice
answer = oauth.exchange { subject_token = alice.access_token, actor_token = bob.access_token, audience = settings.clientID }
local bobs = decoded(bob.access_token).sub
equal(decoded(answer.access_token).act.sub, bobs)
equal(decoded(answer.access_token).sub, decoded(alice.access_token).sub)
answer = oauth.exchange {
  subject_token = answer.access_token, actor_token = alice.id_token, actor_token_type = "id_token", scope = read,
}
equal(decoded(answer.access_token).act.sub, decoded(alice.id_token).sub)
equal(decoded(answer.access_token).act.act.sub, bobs)

-- may_act
tenant.configure { may_act = "bob" }
local guarded = password("alice", "Wonderland-1").access_token
tenant.configure { may_act = "" }
equal(decoded(guarded).may_act.sub, bobs)
equal(decoded(oauth.exchange { subject_token = guarded, actor_token = bob.access_token }.access_token).act.sub, bobs)
for _, actor in pairs { alice.access_token, false } do
  e = failure(oauth.exchange, { subject_token = guarded, actor_token = actor or nil })
  equal(e.code, "invalid_request")
  assert(e.message:find("Only '" .. bobs .. "' may act for the user of the subject_token (may_act)", 1, true), e.message)
end
equal(failure(tenant.configure, { may_act = "nobody" }).code, "unknown_user")

-- Errors of the provider
e = failure(oauth.exchange, { subject_token = alice.access_token, audience = "https://other.example" })
equal(e.code, "invalid_target")
equal(failure(oauth.exchange, { subject_token = alice.access_token, resource = "https://other.example" }).code, "invalid_target")
e = failure(oauth.exchange, { subject_token = alice.access_token, audience = settings.clientID, scope = read })
assert(e.message:find("name more than one API", 1, true), e.message)
equal(failure(oauth.exchange, { subject_token = alice.id_token }).code, "invalid_request")
equal(failure(oauth.exchange, { subject_token = "nonsense" }).code, "invalid_request")
e = failure(oauth.exchange, { subject_token = password("alice", "Wonderland-1", { "openid", tenant.applications.web.client_id }).id_token,
  subject_token_type = "saml2" })
assert(e.message:find("cannot have the type 'urn:ietf:params:oauth:token-type:saml2'", 1, true), e.message)

-- Names of token types
local count = support.count("POST", "/token")
e = failure(oauth.exchange, { subject_token = "x", subject_token_type = "acces_token" })
equal(e.code, "invalid_parameter")
equal(e.message, 'subject_token_type: there is no token type "acces_token"')
equal(e.hint, 'did you mean "access_token"?')
e = failure(oauth.exchange, { subject_token = "x", requested_token_type = "cookie" })
equal(e.message, 'requested_token_type: there is no token type "cookie"')
e = failure(oauth.exchange, { subject_token = "x", actor_token_type = "jwt" })
equal(e.message, "actor_token_type is given without actor_token")
equal(support.count("POST", "/token"), count)
e = failure(oauth.exchange, { subject_token = alice.access_token, requested_token_type = "urn:example:own" })
assert(e.message:find("The requested_token_type 'urn:example:own' is not supported", 1, true), e.message)

-- issued_token_type is required.
tenant.fault { exchange = "no_issued_type" }
e = failure(oauth.exchange, { subject_token = alice.access_token })
equal(e.code, "malformed_response")
equal(e.message, "the provider answered the token exchange without issued_token_type, so the kind of the token is unknown (RFC 8693, 2.2.1)")

-- A token that is no access token goes nowhere.
answer = oauth.exchange { subject_token = alice.access_token, requested_token_type = "id_token" }
equal(answer.token_type, "N_A")
equal(answer.issued_token_type, "urn:ietf:params:oauth:token-type:id_token")
equal(oauth.verify(answer.access_token).name, "Alice Liddell")
local refusal = "the token is not an access token (token_type N_A), and must not be sent to an API (RFC 8693, 2.2.1)"
local before = tenant.totals().requests
equal(support.message(oauth.userinfo, answer), refusal)
equal(support.message(http.get, tenant.url .. "/api/tasks", {
  headers = { Authorization = answer.token_type .. " " .. answer.access_token:reveal() },
}), refusal)
equal(tenant.totals().requests, before)
e = failure(accounts.sign_in, {
  flow = function() return { access_token = answer.access_token, id_token = alice.id_token, token_type = "N_A" } end,
  policy = "ropc",
})
equal(e.message, refusal)

-- Bound to a key
local key = b2c.jose.key.generate { alg = "ES256" }
answer = oauth.exchange { subject_token = alice.access_token, scope = read, dpop = key }
equal(answer.token_type, "DPoP")
equal(decoded(answer.access_token).cnf.jkt, key.kid)

-- On behalf of: not at Azure AD B2C
local function web()
  return b2c.settings.with {
    clientID = tenant.applications.web.client_id, clientSecret = tenant.applications.web.client_secret,
  }
end
local assertion
local function on_behalf(options, other)
  local result
  local _, problem = pcall(accounts.sign_in, {
    settings = other or web(), scopes = { "openid", read }, account_type = "api",
    flow = function() result = { pcall(oauth.on_behalf_of, options) } error "over" end,
  })
  assert(result, problem)
  if not result[1] then error(result[2], 0) end
  return result[2]
end
e = failure(on_behalf, { assertion = alice.access_token, scope = read })
equal(e.code, "AADB2C90086")
equal(e.details.error, "unsupported_grant_type")
equal(e.hint, "Azure AD B2C has no on-behalf-of grant; Microsoft Entra ID and External ID have")

tenant.configure { kind = "external_id" }
assertion = support.sign_in { account_type = "for web", scopes = { "openid", web().clientID } }:token()
answer = on_behalf { assertion = assertion, scope = { "openid", read } }
claims = decoded(answer.access_token)
equal(claims.aud, api)
equal(claims.name, "Alice Liddell")
equal(claims.azp, web().clientID)
local foreign = support.sign_in { account_type = "for tasks", scopes = { "openid", read } }:token()
e = failure(on_behalf, { assertion = foreign, scope = read })
equal(e.code, "AADSTS500131")
assert(e.message:find("Assertion audience does not match the Client app presenting the assertion", 1, true), e.message)
