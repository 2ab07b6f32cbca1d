-- Backchannel authentication (CIBA Core, poll mode), and the polling that it shares with the device flow.

local b2c = require "b2c"
local accounts, async, http, oauth, settings, tenant = b2c.accounts, b2c.async, b2c.http, b2c.oauth, b2c.settings, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure

-- The answer comes before the request, or while it waits.
equal(tenant.approve "alice", false)
local tokens = oauth.backchannel { login_hint = "alice", binding_message = "W4SCT" }
local claims = oauth.verify(tokens.id_token, { access_token = tokens.access_token })
equal(claims.name, "Alice Liddell")
equal(http.get(tenant.url .. "/api/tasks", {
  headers = { Authorization = "Bearer " .. tokens.access_token:reveal() },
}).status, 200)
async.all {
  function() tokens = oauth.backchannel { id_token_hint = tokens.id_token } end,
  function()
    while support.count("POST", "/bc-authorize") < 2 do async.sleep(0.01) end
    equal(tenant.approve "alice@contoso.example", true)
  end,
}
equal(oauth.verify(tokens.id_token).sub, claims.sub)

-- The flow
tenant.approve "bob"
equal(accounts.sign_in({ flow = "backchannel", login_hint = "bob" }).name, "Bob Baumeister")
tenant.approve "bob"
local bound = accounts.sign_in { flow = "backchannel", login_hint = "bob", dpop = true, account_type = "bound", acr_values = "mfa" }
equal(bound:token_type(), "DPoP")
equal(bound.claims.acr, "mfa")
local e = failure(accounts.sign_in, { flow = "backchannel" })
equal(e.message, "the flow backchannel needs the option login_hint or id_token_hint")

-- The status page
local function page() return http.get(tenant.url .. "/").body end
local id
async.all {
  function() tokens = oauth.backchannel { login_hint = "alice", binding_message = "<b>7&8" } end,
  function()
    repeat async.sleep(0.01) id = page():match 'name="id" value="([^"]+)"' until id
    assert(page():find("&lt;b&gt;7&amp;8", 1, true))
    -- A guess answers nothing.
    http.post(tenant.url .. "/backchannel", { form = { id = "guess", action = "agree" } })
    assert(page():find(id, 1, true))
    http.post(tenant.url .. "/backchannel", { form = { id = id, action = "agree" } })
    assert(not page():find(id, 1, true))
  end,
}
equal(oauth.verify(tokens.id_token).name, "Alice Liddell")

-- Refusals
tenant.deny "alice"
e = failure(oauth.backchannel, { login_hint = "alice" })
equal(e.code, "access_denied")
assert(e.message:find("The user has refused", 1, true), e.message)
e = failure(oauth.backchannel, { login_hint = "nobody" })
equal(e.code, "unknown_user_id")
e = failure(oauth.backchannel, { login_hint = "alice", binding_message = ("x"):rep(65) })
equal(e.code, "invalid_binding_message")
equal(failure(oauth.backchannel, { login_hint = "alice", scope = settings.clientID }).code, "invalid_scope")
equal(failure(oauth.backchannel, { login_hint_token = "x" }).code, "invalid_request")
equal(failure(oauth.backchannel, { id_token_hint = "x" }).code, "invalid_request")
equal(failure(tenant.approve, "nobody").code, "unknown_user")

-- Exactly one hint
local before = tenant.totals().requests
e = failure(oauth.backchannel, {})
equal(e.code, "invalid_parameter")
equal(e.message, "the backchannel request names no user")
e = failure(oauth.backchannel, { login_hint = "alice", login_hint_token = "x" })
equal(e.message, "the backchannel request names the user 2 times: login_hint, login_hint_token")
equal(tenant.totals().requests, before)

-- Nobody answers: the request expires at the tenant, or here.
async.all {
  function() e = failure(oauth.backchannel, { login_hint = "alice" }) end,
  function()
    local asked = support.count("POST", "/bc-authorize")
    while support.count("POST", "/bc-authorize") == asked do async.sleep(0.01) end
    tenant.advance(601)
  end,
}
equal(e.code, "expired_token")
e = failure(oauth.backchannel, { login_hint = "alice", requested_expiry = 1 })
equal(e.code, "expired_token")

-- A stop ends the wait.
e = failure(async.timeout, 0.2, function() oauth.backchannel { login_hint = "alice" } end)
equal(e.code, "timeout")
equal(tenant.deny "alice", true, "the request that nobody waits for any more")

-- Answers that make no sense
local endpoint = "the backchannel authentication endpoint " .. oauth.metadata().backchannel_authentication_endpoint
tenant.fault { path = "*/bc-authorize", status = 200, body = '{"expires_in":60}' }
equal(support.message(oauth.backchannel, { login_hint = "alice" }), endpoint .. " answered without auth_req_id")
tenant.fault { path = "*/bc-authorize", status = 200, body = '{"auth_req_id":"x","expires_in":0}' }
equal(support.message(oauth.backchannel, { login_hint = "alice" }), endpoint .. " answered without expires_in, a number above 0")

-- An ID token of another user than the hint's
local bobs = accounts.find({ name = "Bob Baumeister" }):id_token()
tenant.approve "alice"
local other = oauth.backchannel { login_hint = "alice" }
tenant.fault { path = "*/bc-authorize", status = 200, body = '{"auth_req_id":"x","expires_in":60,"interval":0}' }
tenant.fault {
  path = "*/token", status = 200,
  body = b2c.json.encode {
    access_token = other.access_token:reveal(), id_token = other.id_token:reveal(), token_type = "Bearer",
  },
}
e = failure(oauth.backchannel, { id_token_hint = bobs })
equal(e.code, "subject_mismatch")
assert(e.message:find("the ID token is for another user than id_token_hint (sub)", 1, true), e.message)
