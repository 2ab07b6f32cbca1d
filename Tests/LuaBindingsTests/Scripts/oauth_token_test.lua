-- The token endpoint, and the validation of its response.

local b2c = require "b2c"
local browser, oauth, settings, tenant = b2c.browser, b2c.oauth, b2c.settings, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

--- Signs alice in up to the code.
local function code(options)
  local url = oauth.authorize_url(options)
  local redirect = browser.open(url, { agent = "headless", username = "alice", password = "Wonderland-1" })
  return oauth.redirect(redirect).code
end

local function redeem(code, fields)
  local request = { grant_type = "authorization_code", code = code, redirect_uri = settings.redirectURL }
  for name, value in pairs(fields or {}) do request[name] = value end
  return oauth.token(request)
end

-- A code, redeemed with its verifier
local pkce = oauth.pkce()
local c = code { nonce = "mine", pkce = pkce }
local tokens = redeem(c, { code_verifier = pkce.verifier })
for _, name in ipairs { "access_token", "refresh_token", "id_token" } do equal(tostring(tokens[name]), "[secret]") end
equal(tokens.token_type, "Bearer")
equal(tokens.expires_in, 3600)
assert(math.type(tokens.expires_at) == "integer" and math.abs(tokens.expires_at - os.time() - 3600) <= 2)
equal(tokens.scope, table.concat(settings.scopes, " "))

-- A code is good once, and takes all with it when it comes again.
local e = failure(redeem, c, { code_verifier = pkce.verifier })
equal(e.code, "AADB2C90129")
equal(e.status, 400)
equal(e.details.error, "invalid_grant")
equal(e.details.stage, "token")
assert(e.details.correlation_id:find("^%x+%-%x+%-%x+%-%x+%-%x+$"))
equal(failure(oauth.token, { grant_type = "refresh_token", refresh_token = tokens.refresh_token }).code, "AADB2C90129")

-- Wrong verifier, none, one without a challenge
equal(failure(redeem, code { pkce = pkce }, { code_verifier = oauth.pkce().verifier }).code, "AADB2C90182")
equal(failure(redeem, code { pkce = pkce }).code, "AADB2C90183")
equal(failure(redeem, code {}, { code_verifier = pkce.verifier }).code, "AADB2C90183")
local plain = oauth.pkce("plain")
assert(redeem(code { pkce = plain }, { code_verifier = plain.verifier }).access_token)

-- Other grants
local fresh = redeem(code { nonce = "mine" })
local again = oauth.token { grant_type = "refresh_token", refresh_token = fresh.refresh_token, scopes = settings.scopes }
assert(again.refresh_token:reveal() ~= fresh.refresh_token:reveal())
equal(failure(oauth.token, { grant_type = "client_credentials" }).code, "AADB2C90058")
equal(failure(oauth.token, { grant_type = "magic" }).code, "AADB2C90086")
equal(message(oauth.token, {}), "oauth.token: grant_type is missing")
equal(message(oauth.token, { grant_type = "x", code = {} }), "oauth.token: code: expected a string, got table")
equal(message(oauth.token, { grant_type = "x", "code" }), "oauth.token: parameters have names, got a number as key")

-- The endpoint fails
tenant.fault { path = "*/token", status = 503, body = "down for maintenance" }
e = failure(redeem, "x")
equal(e.status, 503)
assert(e.retryable and e.message:find("down for maintenance", 1, true), e.message)
tenant.fault { path = "*/token", drop = true }
equal(failure(redeem, "x").retryable, true)

-- Verified: signature, parties, times, nonce
local claims = oauth.verify(again.id_token)
equal(claims.aud, settings.clientID)
equal(oauth.verify(fresh.id_token, { nonce = "mine", max_age = 60 }).name, "Alice Liddell")
equal(oauth.verify(fresh.id_token:reveal()).sub, claims.sub)
e = failure(oauth.verify, fresh.id_token, { nonce = "theirs" })
equal(e.code, "nonce_mismatch")
equal(e.message, 'the ID token belongs to another sign-in (nonce): expected "theirs", got "mine"')
equal(failure(oauth.verify, redeem(code {}).id_token, { nonce = "mine" }).code, "missing_claim")
local read = redeem(code { scopes = { "openid", "https://contoso.onmicrosoft.com/tasks/read" } })
equal(failure(oauth.verify, read.access_token).code, "audience_mismatch")

local head, payload, signature = fresh.id_token:reveal():match("^(.*)%.(.*)%.(.*)$")
local forged = head .. "." .. payload .. "." .. (signature:sub(1, 1) == "A" and "B" or "A") .. signature:sub(2)
equal(failure(oauth.verify, forged).code, "signature_mismatch")
equal(failure(oauth.verify, "a.b").code, "malformed_token")
equal(failure(oauth.verify, "eyJhbGciOiJub25lIn0." .. payload .. ".").code, "algorithm_not_allowed")
equal(failure(oauth.verify, fresh.id_token, { policy = "B2C_1_other" }).status, 404)

-- A decoded token has its claims, but they are not validated
local header, said = oauth.decode(forged)
equal(header.alg, "RS256")
equal(said.nonce, "mine")
assert(math.type(said.exp) == "integer")
equal(failure(oauth.decode, "rubbish").code, "malformed_token")
equal(message(oauth.decode), "oauth.decode: argument 1: expected a string or secret, got nothing")

-- A key that came after the key set was fetched is found.
tenant.rotate_keys()
equal(oauth.verify(redeem(code { nonce = "late" }).id_token, { nonce = "late" }).nonce, "late")
