-- Nonces of DPoP proofs (RFC 9449, 8 and 9): one repetition, and then an error.

local b2c = require "b2c"
local accounts, http, tenant = b2c.accounts, b2c.http, b2c.tenant
local support = require "support"
local equal, failure, count, sign_in = support.equal, support.failure, support.count, support.sign_in
local api = tenant.url .. "/api/tasks"

tenant.require { "dpop", "dpop_nonce" }

-- The token endpoint and the task API require DPoP.
local e = failure(sign_in)
equal(e.code, "invalid_dpop_proof")
equal(e.hint, "sign in with dpop = true, and check this machine's clock")

-- The nonce of the first refusal serves both servers: they have one origin.
local alice = sign_in { dpop = true }
equal(count("POST", "/token"), 3)
b2c.tasks.add "Buy milk"
equal(count("POST", "/api/tasks"), 1)

-- A nonce that has expired costs one repetition, and no refresh.
local tokens = count("POST", "/token")
tenant.advance(300)
b2c.tasks.add "Walk the dog"
equal(count("POST", "/api/tasks"), 3)
equal(#b2c.tasks.list(), 2)
tenant.fault { dpop = "stale_nonce", path = "/api/tasks" }
equal(http.get(api).status, 200)
equal(count("POST", "/token"), tokens)
tenant.fault { dpop = "stale_nonce", path = "*/token" }
alice:refresh()
equal(count("POST", "/token"), tokens + 2)

-- The demand for another sign-in is no reason to refresh either.
tokens = count("POST", "/token")
tenant.fault {
  path = "/api/tasks", status = 401,
  headers = { ["WWW-Authenticate"] = 'DPoP error="insufficient_user_authentication", acr_values="mfa"' },
}
equal(http.get(api, { raise = false }).status, 401)
equal(count("POST", "/token"), tokens)

-- A nonce that never is right
tenant.fault { dpop = "endless_nonce", path = "/api/tasks" }
local gets = count("GET", "/api/tasks")
e = failure(b2c.tasks.list)
equal(e.code, "use_dpop_nonce")
equal(e.message, "GET " .. api .. ": the server refused the DPoP nonce that it had just given (use_dpop_nonce); the request was "
  .. "sent twice")
equal(count("GET", "/api/tasks"), gets + 2)
e = failure(http.get, api, { raise = false })
equal(e.code, "use_dpop_nonce")
e = failure(b2c.tasks.add, "Water the plants")
equal(e.code, "use_dpop_nonce")
tenant.clear_faults()
tenant.fault { dpop = "endless_nonce", path = "*/token" }
e = failure(sign_in, { dpop = true })
equal(e.code, "use_dpop_nonce")
equal(e.message:match "the server refused the DPoP nonce that it had just given" ~= nil, true)
tenant.clear_faults()

-- The demand for a nonce, without a nonce
tenant.fault { dpop = "missing_nonce", path = "/api/tasks" }
e = failure(b2c.tasks.list)
equal(e.message, "GET " .. api .. ": the server asks for a DPoP nonce (use_dpop_nonce) and gives none (DPoP-Nonce); the request "
  .. "was sent once")

-- Faults happen to the first request, which would ask for the nonce.
tenant.require {}

-- A token of another type is refused, at the sign-in and at a refresh.
local refused = "the provider gave an access token that is not bound to the key of the proof (token_type): expected \"DPoP\", "
  .. "got \"Bearer\""
tenant.fault { dpop = "bearer" }
e = failure(sign_in, { dpop = true })
equal(e.code, "unsupported_token_type")
equal(e.message, refused)
tenant.fault { dpop = "bearer" }
e = failure(alice.refresh, alice)
equal(e.message, refused)

-- The setting tokenType does not apply.
alice = sign_in { dpop = true, settings = b2c.settings.with { tokenType = "mac" }, account_type = "mac" }
equal(#b2c.tasks.list { account = alice }, 2)
