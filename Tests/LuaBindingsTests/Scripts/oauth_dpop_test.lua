-- DPoP (RFC 9449): tokens that are bound to a key, at the token endpoint, the task API and in refreshes.

local b2c = require "b2c"
local accounts, http, jose, oauth, tenant = b2c.accounts, b2c.http, b2c.jose, b2c.oauth, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure
local api = tenant.url .. "/api/tasks"

local function sign_in(options)
  options.agent, options.username, options.password = "headless", "alice", "Wonderland-1"
  return accounts.sign_in(options)
end
local function binding(account)
  local _, claims = oauth.decode(account:token())
  return claims.cnf and claims.cnf.jkt
end

-- A new key
local alice = sign_in { dpop = true }
local thumbprint = binding(alice)
equal(#thumbprint, 43)
b2c.tasks.add "Buy milk"
equal(b2c.tasks.list()[1].text, "Buy milk")
equal(http.get(api .. "?all=1#top").status, 200)
equal(http.get(api, { dpop = true, account = alice }).status, 200)
local rows = { "Walk the dog", "Water the plants" }
b2c.tasks.import(function() return table.remove(rows) end, { progress = "none" })
equal(#b2c.tasks.list(), 3)

-- A refresh is bound to the same key.
alice:refresh()
equal(binding(alice), thumbprint)
equal(http.get(api).status, 200)

-- The token alone is worth nothing.
local stolen = alice:token():reveal()
local e = failure(http.get, api, { headers = { Authorization = "Bearer " .. stolen } })
equal(e.message:match "the access token is bound to a key, and needs the type DPoP with a proof" ~= nil, true)
e = failure(http.get, api, { headers = { Authorization = "DPoP " .. stolen } })
equal(e.message:match "the request has no DPoP proof" ~= nil, true)
e = failure(http.get, api, { headers = { Authorization = "DPoP " .. stolen }, dpop = jose.key.generate { kty = "EC" } })
equal(e.message:match "the access token is bound to the key of another DPoP proof" ~= nil, true)
e = failure(http.get, api, { dpop = jose.key.generate { kty = "EC" }, account = alice })
equal(e.message, "option 'dpop': the tokens of Alice Liddell are bound to another key")
e = failure(http.get, api, { dpop = true, headers = { Authorization = "DPoP x" } })
equal(e.message, "option 'dpop': the request carries no token of an account")

-- A key of the script
local key = jose.key.generate { kty = "EC" }
equal(binding(sign_in { dpop = key, account_type = "own" }), key.kid)
local rsa = jose.key.generate { kty = "RSA" }
equal(binding(sign_in { dpop = rsa, account_type = "rsa" }), rsa.kid)
e = failure(sign_in, { dpop = jose.key.generate { kty = "oct" } })
equal(e.code, "invalid_key")
equal(e.message:match "is symmetric, and nobody else may know the key of a proof" ~= nil, true)

-- One key for all calls of a flow
local thumbprints = {}
local function own(ctx)
  local pkce, state = oauth.pkce(), oauth.random()
  local url = oauth.authorize_url { state = state, nonce = oauth.random(), pkce = pkce, dpop = true }
  thumbprints[#thumbprints + 1] = url:match "dpop_jkt=([^&]+)"
  local answer = oauth.redirect(b2c.browser.open(url, { agent = ctx.agent }), { state = state })
  return oauth.token {
    grant_type = "authorization_code", code = answer.code, redirect_uri = ctx.redirect_uri, code_verifier = pkce.verifier,
    dpop = true,
  }
end
equal(binding(sign_in { flow = own, account_type = "flow" }), thumbprints[1])
equal(binding(sign_in { flow = own, account_type = "flow 2" }), thumbprints[2])
assert(thumbprints[1] ~= thumbprints[2], "each sign-in has a key of its own")

-- Every flow
equal(#binding(sign_in { dpop = true, flow = "password", account_type = "password" }), 43)

-- The blocks by hand
local tokens = sign_in {
  account_type = "by hand",
  flow = function(ctx)
    local pkce, state, nonce = oauth.pkce(), oauth.random(), oauth.random()
    local url = oauth.authorize_url { state = state, nonce = nonce, pkce = pkce, dpop = key }
    equal(url:match "dpop_jkt=([%w_-]+)", key.kid)
    local code = oauth.redirect(b2c.browser.open(url, { agent = ctx.agent }), { state = state }).code
    local request = {
      grant_type = "authorization_code", code = code, redirect_uri = ctx.redirect_uri, code_verifier = pkce.verifier,
    }
    request.dpop = jose.key.generate { kty = "EC" }
    local e = failure(oauth.token, request)
    equal(e.code, "invalid_grant")
    equal(e.message:match "The code is bound to the key of another DPoP proof" ~= nil, true)
    request.dpop = key
    return oauth.token(request)
  end,
}
equal(binding(tokens), key.kid)
