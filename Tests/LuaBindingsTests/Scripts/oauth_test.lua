-- The building blocks that send no requests, and the metadata.

local b2c = require "b2c"
local oauth, settings, tenant = b2c.oauth, b2c.settings, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

-- PKCE (RFC 7636, 4.1 and 4.2)
local seen = {}
for _ = 1, 20 do
  local pkce = oauth.pkce()
  assert(pkce.verifier:find("^[A-Za-z0-9%-._~]+$") and #pkce.verifier >= 43 and #pkce.verifier <= 128)
  assert(pkce.challenge:find("^[A-Za-z0-9%-_]+$") and #pkce.challenge == 43)
  equal(pkce.method, "S256")
  assert(pkce.verifier ~= pkce.challenge and not seen[pkce.verifier])
  seen[pkce.verifier] = true
end
local plain = oauth.pkce("plain")
equal(plain.method, "plain")
equal(plain.challenge, plain.verifier)
equal(message(oauth.pkce, "S512"), 'oauth.pkce: argument 1: expected one of "S256", "plain", got "S512"')

-- 256 random bits, fit for a URL
for _ = 1, 20 do
  local random = oauth.random()
  assert(#random == 43 and random:find("^[A-Za-z0-9%-_]+$") and not seen[random])
  seen[random] = true
end

--- A URL's address and parameters, none of which may occur twice.
local function parts(url)
  local base, query = url:match("^([^?]*)%??(.*)$")
  local values = {}
  for name, value in query:gmatch("([^&=]+)=([^&]*)") do
    assert(values[name] == nil, name .. " occurs twice in " .. url)
    values[name] = value:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  end
  return base, values
end

-- The authorization URL: the endpoint's own parameters stay, the settings give the rest.
local base, values = parts(oauth.authorize_url {})
equal(base, (settings.authURL:match("^[^?]*")))
equal(values.p, settings.authURL:match("p=(.*)$"))
equal(values.client_id, settings.clientID)
equal(values.response_type, "code")
equal(values.redirect_uri, settings.redirectURL)
equal(values.scope, table.concat(settings.scopes, " "))
equal(values.state, nil)

local pkce = oauth.pkce()
base, values = parts(oauth.authorize_url {
  redirect_uri = "http://127.0.0.1:9/a b?c=d", scopes = { "openid", "profile" }, state = "s&t", nonce = "n",
  pkce = pkce, response_type = "code id_token", response_mode = "fragment", prompt = "login", login_hint = "alice@x",
  domain_hint = "d", ui_locales = "de en", max_age = 60, parameters = { custom = "a=b", number = 5 },
})
equal(values.redirect_uri, "http://127.0.0.1:9/a b?c=d")
equal(values.scope, "openid profile")
equal(values.state, "s&t")
equal(values.nonce, "n")
equal(values.code_challenge, pkce.challenge)
equal(values.code_challenge_method, "S256")
equal(values.response_type, "code id_token")
equal(values.response_mode, "fragment")
equal(values.prompt, "login")
equal(values.login_hint, "alice@x")
equal(values.domain_hint, "d")
equal(values.ui_locales, "de en")
equal(values.max_age, "60")
equal(values.custom, "a=b")
equal(values.number, "5")
equal(select(2, parts(oauth.authorize_url { scopes = "openid email" })).scope, "openid email")

-- The parameters of the request have options of their own.
for _, name in ipairs { "client_id", "redirect_uri", "scope", "state", "nonce", "response_type", "code_challenge" } do
  local e = failure(oauth.authorize_url, { parameters = { [name] = "x" } })
  equal(e.code, "invalid_parameter")
  assert(e.message:find('"' .. name .. '" cannot be set', 1, true))
end
equal(message(oauth.authorize_url, { pkce = {} }),
  "oauth.authorize_url: option 'pkce': expected the result of oauth.pkce()")
equal(message(oauth.authorize_url, { scopes = { true } }),
  "oauth.authorize_url: option 'scopes': expected a list of strings, got a boolean in it")
equal(failure(oauth.authorize_url, { scope = "openid" }).hint, "did you mean 'scopes'?")
equal(message(oauth.authorize_url, { parameters = { x = print } }),
  "oauth.authorize_url: option 'parameters': x: expected a string, got function")

-- Metadata
local metadata = oauth.metadata()
assert(metadata.issuer:find(tenant.url, 1, true))
assert(metadata.token_endpoint and metadata.jwks_uri and metadata.authorization_endpoint)
equal(metadata.response_types_supported[1], "code")
oauth.metadata()
equal(support.count("GET", "/openid-configuration"), 1)
local e = failure(oauth.metadata, "B2C_1_other")
equal(e.status, 404)
assert(e.message:find("there is no policy B2C_1_other", 1, true), e.message)

-- The end of the session
base, values = parts(oauth.end_session_url())
equal(base, (settings.logoutURL:match("^[^?]*")))
equal(values.p, settings.logoutURL:match("p=(.*)$"))
equal(values.client_id, settings.clientID)
base, values = parts(oauth.end_session_url {
  post_logout_redirect_uri = "http://127.0.0.1:9/", state = "s", id_token_hint = "a.b.c",
})
equal(values.post_logout_redirect_uri, "http://127.0.0.1:9/")
equal(values.state, "s")
equal(values.id_token_hint, "a.b.c")
