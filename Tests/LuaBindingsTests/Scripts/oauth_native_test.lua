-- Native authentication of External ID, at the local tenant: sign-in, sign-up and reset without a browser.

local b2c = require "b2c"
local accounts, oauth, tenant = b2c.accounts, b2c.oauth, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure

local function sign_in(options)
  options.flow = "native"
  return accounts.sign_in(options)
end

--- The code of the latest message.
local function code() return tenant.outbox()[#tenant.outbox()].code end

-- A tenant of B2C has no native authentication. Nothing is asked there.
local before = tenant.totals().requests
local e = failure(sign_in, { username = "alice", password = "Wonderland-1" })
equal(e.code, "not_external_id")
equal(e.message, "native authentication needs Microsoft Entra External ID, and the local tenant does not lead to it")
assert(e.hint:find('flow = "authorization_code"', 1, true))
equal(failure(oauth.token, { grant_type = "oob", continuation_token = "x", oob = "1" }).code, "not_external_id")
equal(tenant.totals().requests, before)

tenant.configure { kind = "external_id" }
equal(b2c.settings.kind, "external_id")

-- With a password.
local alice = sign_in { username = "alice@contoso.example", password = "Wonderland-1" }
equal(alice.name, "Alice Liddell")
equal(alice.policy, nil)
equal(alice.claims.tid, "0a7c1d52-6a54-4c1e-9d0b-3f2f5d1c8e40")
equal(alice.claims.tfp, nil)
assert(alice:refresh(), "its refresh token is good")
equal(#b2c.tasks.list { account = alice }, 0)
e = failure(sign_in, { username = "alice@contoso.example", password = "wrong" })
equal(e.code, "invalid_grant")
equal(e.details.error_codes, "[50126]")
assert(e.hint:find("check the user name and the password", 1, true), e.hint)
e = failure(sign_in, { username = "nobody@contoso.example", password = "x" })
equal(e.code, "user_not_found")
equal(e.hint, "check the user name, or sign up with sign_up = true")
equal(failure(sign_in, {}).message, "the flow native needs the option username")
equal(failure(sign_in, { username = "alice" }).message, "the flow native needs the option password")
equal(failure(sign_in, { sign_up = true, reset = true }).code, "invalid_argument")

-- An application with a secret may not use it.
local secret = b2c.settings.with { clientSecret = "not-public" }
equal(failure(sign_in, { settings = secret, username = "alice", password = "x" }).code, "unsupported_client_authentication")
local web = b2c.settings.with { clientID = tenant.applications.web.client_id }
e = failure(sign_in, { settings = web, username = "alice", password = "x" })
equal(e.code, "nativeauthapi_disabled")
equal(e.hint, "enable native authentication where the application is registered")
equal(failure(sign_in, { settings = b2c.settings.with { clientID = "x" }, username = "a" }).code, "unauthorized_client")

-- No policies.
e = failure(accounts.sign_in, { policy = "reset", agent = "headless" })
equal(e.message, 'there is no policy "reset": Microsoft Entra External ID has no policies')

-- With a code.
tenant.configure { native_method = "code" }
local sent
local bob = sign_in { username = "bob@contoso.example", code = function(way) sent = way return code() end }
equal(bob.name, "Bob Baumeister")
equal(sent.channel, "email")
equal(sent.target, "b***b@contoso.example")
equal(sent.length, 8)
equal(sent.attempt, 1)
equal(#code(), 8)

-- A wrong code is asked for again, and then raised. A given one stays the same.
local asked = 0
bob = sign_in {
  username = "bob", account_type = "again",
  code = function(way) asked = way.attempt return way.attempt == 1 and "00000000x" or code() end,
}
equal(asked, 2)
asked = 0
e = failure(sign_in, { username = "bob", code = function(way) asked = way.attempt return "00000000x" end })
equal(e.code, "invalid_oob_value")
equal(e.details.suberror, "invalid_oob_value")
equal(e.hint, "check the code in the latest message; the codes before it are not valid any more")
equal(asked, 3)
equal(failure(sign_in, { username = "bob", code = "00000000x" }).code, "invalid_oob_value")
equal(failure(sign_in, { username = "bob" }).message, "the flow native needs the option code")

-- Continuation tokens: each for one request, of one flow, for some time.
local first = oauth.native { endpoint = "initiate", username = "bob" }
assert(tostring(first.continuation_token):find "secret")
local second = oauth.native { endpoint = "challenge", continuation_token = first.continuation_token }
equal(second.challenge_type, "oob")
e = failure(oauth.native, { endpoint = "challenge", continuation_token = first.continuation_token })
equal(e.code, "invalid_grant")
equal(e.details.error_codes, "[55200]")
assert(e.message:find("The continuation_token is invalid", 1, true), e.message)
e = failure(oauth.native, { endpoint = "resetpassword/challenge", continuation_token = second.continuation_token })
equal(e.code, "invalid_request")
local third = oauth.native { endpoint = "challenge", continuation_token = second.continuation_token }
tenant.advance(601)
e = failure(oauth.token, {
  grant_type = "oob", continuation_token = third.continuation_token, oob = code(), scopes = { "openid" },
})
equal(e.code, "expired_token")
equal(e.hint, "the sign-in took too long; sign in again from the beginning")
equal(failure(oauth.native, { endpoint = "challenge" }).code, "invalid_request")
equal(failure(oauth.native, { endpoint = "initiate", username = "bob", challenge_type = "oob" }).code, "unsupported_challenge_type")

-- A browser is wanted: because a method is missing, on demand, and for a second factor.
e = failure(oauth.native, { endpoint = "initiate", username = "bob", challenge_type = "password redirect" })
equal(e.code, "redirect")
equal(e.message, "the provider wants this user to sign in with a browser")
equal(e.hint, 'sign in with flow = "authorization_code"')
tenant.configure { native_method = "password" }
tenant.fault { native = "redirect" }
equal(failure(sign_in, { username = "alice", password = "Wonderland-1" }).code, "redirect")
tenant.users.add { username = "eve@contoso.example", password = "Chamomile-7", otp = "JBSWY3DPEHPK3PXP" }
e = failure(sign_in, { username = "eve@contoso.example", password = "Chamomile-7" })
equal(e.code, "redirect")
equal(
  e.message,
  "the provider wants this user to sign in with a browser (Client is missing mfa_required capability)")
for _, fault in ipairs { "mfa_required", "registration_required" } do
  tenant.fault { native = fault }
  e = failure(sign_in, { username = "alice", password = "Wonderland-1" })
  equal(e.code, "redirect")
  assert(e.message:find(("a second factor, which this program cannot ask for (%s)"):format(fault), 1, true), e.message)
end

-- Answers that make no sense.
tenant.fault { native = "missing_token" }
e = failure(sign_in, { username = "alice", password = "Wonderland-1" })
equal(e.code, "malformed_response")
assert(e.message:find("without a continuation_token", 1, true), e.message)
tenant.fault { native = "expired_token" }
equal(failure(sign_in, { username = "alice", password = "Wonderland-1" }).code, "expired_token")
tenant.fault { native = "invalid_token" }
equal(failure(sign_in, { username = "alice", password = "Wonderland-1" }).code, "invalid_grant")
tenant.fault { path = "*/initiate", status = 404 }
e = failure(sign_in, { username = "alice", password = "Wonderland-1" })
equal(e.code, "http_404")
equal(e.hint, "check authority and kind in the settings")
tenant.fault { path = "*/challenge", status = 200, body = '{"challenge_type":"sms","continuation_token":"x"}' }
e = failure(sign_in, { username = "alice", password = "Wonderland-1" })
equal(e.code, "unsupported_challenge")
equal(e.message, 'the provider asks for "sms", expected a one-time code')

-- Sign-up: everything at once, and one thing after the other.
tenant.configure { sign_up_attributes = { displayName = "", postalCode = "^[0-9]{5}$" } }
local carol = sign_in {
  sign_up = true, username = "carol@contoso.example", password = "Theremin-59", code = code,
  attributes = { displayName = "Carol Kaspar", postalCode = "12345", unknown = "x" },
}
equal(carol.name, "Carol Kaspar")
equal(carol.claims.postalCode, "12345")
equal(carol.claims.email, "carol@contoso.example")
equal(carol.claims.unknown, nil)
assert(carol:refresh())
local asked_for = {}
local dora = sign_in {
  sign_up = true, username = "dora@contoso.example", password = "Labyrinth-3", code = code,
  attributes = function(required)
    for _, attribute in ipairs(required) do
      asked_for[#asked_for + 1] = attribute.name .. ":" .. (attribute.options and attribute.options.regex or "")
    end
    return { displayName = "Dora", postalCode = "54321" }
  end,
}
equal(table.concat(asked_for, " "), "displayName: postalCode:^[0-9]{5}$")
equal(dora.name, "Dora")
e = failure(sign_in, {
  sign_up = true, username = "fay@contoso.example", password = "Labyrinth-3", code = code,
  attributes = { displayName = "Fay" },
})
equal(e.message, "the flow native needs the option attributes.postalCode")
e = failure(sign_in, {
  sign_up = true, username = "fay@contoso.example", password = "Labyrinth-3", code = code,
  attributes = { displayName = "Fay", postalCode = "x" },
})
equal(e.code, "attribute_validation_failed")
assert(e.message:find(": postalCode$"), e.message)
equal(e.hint, "correct the values of these attributes")
e = failure(sign_in, { sign_up = true, username = "carol@contoso.example", password = "Theremin-59", code = code })
equal(e.code, "user_already_exists")
equal(e.hint, "sign in without sign_up, or reset the password with reset = true")
equal(failure(sign_in, { sign_up = true, username = "no address", code = code }).code, "invalid_request")
for password, suberror in pairs {
  ["short-1"] = "password_too_short", ["lowercase-only"] = "password_too_weak", ["My-Password-1"] = "password_banned",
  [("Aa1-"):rep(65)] = "password_too_long", ["Tab\tbed-1"] = "password_is_invalid",
} do
  e = failure(sign_in, { sign_up = true, username = "fay@contoso.example", password = password, code = code })
  equal(e.code, suberror)
  assert(e.hint:find "choose a", e.hint)
  assert(not e.message:find(password, 1, true))
end

-- The password may come after the code, by hand.
tenant.configure { sign_up_attributes = { displayName = "" } }
local answer = oauth.native { endpoint = "signup/start", username = "gus@contoso.example" }
answer = oauth.native { endpoint = "signup/challenge", continuation_token = answer.continuation_token }
answer = oauth.native {
  endpoint = "signup/continue", continuation_token = answer.continuation_token, grant_type = "oob", oob = code(),
}
equal(answer.error, "credential_required")
answer = oauth.native { endpoint = "signup/challenge", continuation_token = answer.continuation_token }
equal(answer.challenge_type, "password")
e = failure(oauth.native, {
  endpoint = "signup/continue", continuation_token = answer.continuation_token, grant_type = "password",
  password = "short",
})
equal(e.code, "password_too_short")
answer = oauth.native {
  endpoint = "signup/continue", continuation_token = answer.continuation_token, grant_type = "password",
  password = "Accordion-8",
}
equal(answer.error, "attributes_required")
equal(answer.required_attributes[1].name, "displayName")
answer = oauth.native {
  endpoint = "signup/continue", continuation_token = answer.continuation_token, grant_type = "attributes",
  attributes = { displayName = "Gus" },
}
equal(answer.error, nil)
e = failure(oauth.token, {
  grant_type = "continuation_token", continuation_token = answer.continuation_token, username = "alice",
  scopes = { "openid" },
})
equal(e.code, "invalid_request")
local tokens = oauth.token {
  grant_type = "continuation_token", continuation_token = answer.continuation_token, username = "gus@contoso.example",
  scopes = { "openid" },
}
local _, claims = oauth.decode(tokens.id_token)
equal(claims.name, "Gus")

-- A user without a password signs up and in with codes.
tenant.configure { native_method = "code" }
sign_in {
  sign_up = true, username = "hal@contoso.example", code = code, attributes = { displayName = "Hal" },
}
tenant.configure { native_method = "password" }
local hal = sign_in { username = "hal@contoso.example", code = code }
equal(hal.name, "Hal")
equal(failure(sign_in, { reset = true, username = "hal@contoso.example", password = "x" }).code, "invalid_request")

-- Reset.
local back = sign_in { reset = true, username = "alice@contoso.example", password = "Wonderland-2", code = code }
equal(back.id, alice.id)
equal(sign_in({ username = "alice", password = "Wonderland-2" }).id, alice.id)
equal(failure(sign_in, { username = "alice", password = "Wonderland-1" }).code, "invalid_grant")
e = failure(sign_in, { reset = true, username = "alice", password = "Wonderland-2", code = code })
equal(e.code, "password_recently_used")
equal(failure(sign_in, { reset = true, username = "nobody", password = "x" }).code, "user_not_found")
tenant.fault { native = "failed" }
e = failure(sign_in, { reset = true, username = "alice", password = "Wonderland-3", code = code })
equal(e.code, "reset_failed")
equal(e.message, "the provider could not store the new password")
equal(failure(sign_in, { username = "alice", password = "Wonderland-3" }).code, "invalid_grant")
tenant.fault { native = "in_progress" }
sign_in { reset = true, username = "alice", password = "Wonderland-3", code = code }

-- Too many wrong codes end the flow and lock the account.
tenant.configure { native_method = "code" }
answer = oauth.native { endpoint = "initiate", username = "bob" }
answer = oauth.native { endpoint = "challenge", continuation_token = answer.continuation_token }
for _ = 1, 5 do
  equal(failure(oauth.token, {
    grant_type = "oob", continuation_token = answer.continuation_token, oob = "x", scopes = { "openid" },
  }).code, "invalid_oob_value")
end
e = failure(oauth.token, {
  grant_type = "oob", continuation_token = answer.continuation_token, oob = code(), scopes = { "openid" },
})
equal(e.details.error_codes, "[55200]")
e = failure(sign_in, { username = "bob", code = code })
equal(e.details.error_codes, "[50053]")
tenant.configure { native_method = "password" }

-- The other flows work there, too: with pages, for devices, and with a secret.
local page = support.sign_in { username = "alice", password = "Wonderland-3", account_type = "page" }
equal(page.claims.ver, "2.0")
assert(page:refresh())
equal(support.sign_in({ flow = "device_code", password = "Wonderland-3", account_type = "device" }).name, "Alice Liddell")
local app = accounts.sign_in {
  flow = "client_credentials", account_type = "app", scopes = { "https://contoso.onmicrosoft.com/tasks/.default" },
  settings = b2c.settings.with {
    clientID = tenant.applications.web.client_id, clientSecret = tenant.applications.web.client_secret,
  },
}
equal(app.name, tenant.applications.web.client_id)
-- The grant for passwords is that of B2C; its error has Entra's form.
e = failure(accounts.sign_in, { flow = "password", username = "alice", password = "Wonderland-3" })
equal(e.details.error, "unauthorized_client")
assert(not e.message:find "AADB2C")
e = failure(accounts.sign_in, { flow = "refresh", refresh_token = "made-up-token" })
equal(e.code, "AADSTS70008")
