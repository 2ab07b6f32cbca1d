-- The stock flows besides authorization_code, which nearly every other test uses.

local b2c = require "b2c"
local accounts, oauth, settings, tasks, tenant = b2c.accounts, b2c.oauth, b2c.settings, b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure

-- password: no page is asked for, and the policy is the one for it.
local function pages() return support.count("GET", "authorize") end
local before = pages()
local alice = accounts.sign_in { flow = "password", username = "alice", password = "Wonderland-1" }
equal(alice.name, "Alice Liddell")
equal(alice.policy, "b2c_1_ropc")
equal(pages(), before)
assert(alice:refresh(), "its refresh token is taken at its policy")
equal(#tasks.list { account = alice }, 0)
equal(failure(accounts.sign_in, { flow = "password", username = "alice", password = "wrong" }).code, "AADB2C90225")
local needs = failure(accounts.sign_in, { flow = "password", username = "alice" })
equal(needs.message, "the flow password needs the option password")

-- client_credentials: an account of the application itself, whose token is asked for anew.
local web = settings.with {
  clientID = tenant.applications.web.client_id, clientSecret = tenant.applications.web.client_secret,
}
local scope = "https://contoso.onmicrosoft.com/tasks/.default"
local app = accounts.sign_in { flow = "client_credentials", settings = web, scopes = { scope }, account_type = "app" }
equal(app.name, web.clientID)
local _, claims = oauth.decode(app:token())
equal(claims.roles[1], "Tasks.ReadWrite.All")
equal(tasks.add("Sweep the floor", { account = app }).text, "Sweep the floor")
local first = app:token():reveal()
local second = app:refresh():reveal()
assert(first ~= second)
equal(app:token():reveal(), second)
equal(
  failure(accounts.sign_in, { flow = "client_credentials", scopes = { scope } }).message,
  "the flow client_credentials needs clientSecret, clientKey or clientCertificate in the settings")

-- refresh: a refresh token from elsewhere becomes an account.
local tokens
support.sign_in {
  account_type = "elsewhere",
  flow = function(ctx)
    local url = oauth.authorize_url { policy = ctx.policy, scopes = ctx.options.scopes }
    local code = oauth.redirect(b2c.browser.open(url, { agent = ctx.agent })).code
    tokens = oauth.token {
      grant_type = "authorization_code", policy = ctx.policy, code = code, redirect_uri = ctx.redirect_uri,
    }
    return tokens
  end,
}
local moved = accounts.sign_in { flow = "refresh", refresh_token = tokens.refresh_token, account_type = "moved" }
equal(moved.name, "Alice Liddell")
assert(moved:refresh())
equal(failure(accounts.sign_in, { flow = "refresh" }).message, "the flow refresh needs the option refresh_token")
equal(failure(accounts.sign_in, { flow = "refresh", refresh_token = "made-up-token" }).code, "AADB2C90080")

-- silent: works without a password while there is a session, also at another policy.
local function silent(options)
  options.flow, options.agent = "silent", "headless"
  return accounts.sign_in(options)
end
equal(failure(silent, { session = "morning" }).code, "AADB2C90077")
local bob = support.sign_in { username = "bob", password = "Skyscraper-2", session = "morning" }
equal(silent({ session = "morning" }).id, bob.id)
equal(silent({ session = "morning", policy = "signIn", account_type = "other" }).name, bob.name)
equal(silent({ session = "morning", account = bob, id_token_hint = bob:id_token() }).id, bob.id)
equal(failure(silent, { session = "evening" }).code, "AADB2C90077")
local other = failure(silent, { session = "morning", login_hint = "alice@contoso.example" })
assert(other.details.error == "login_required" or other.code == "AADB2C90077", other.code)
assert(failure(accounts.sign_in, { flow = "silent", agent = "terminal" }).message:find("needs the session of a browser"))

-- … until it is ended.
accounts.sign_out(bob, { everywhere = true })
equal(failure(silent, { session = "morning" }).code, "AADB2C90077")

-- device_code: the person signs in elsewhere.
local device = support.sign_in { flow = "device_code", account_type = "device" }
equal(device.name, "Alice Liddell")
assert(device:refresh())
local denied = failure(support.sign_in, {
  flow = "device_code",
  on_page = function(page)
    for _, form in ipairs(page.forms) do
      for _, button in ipairs(form.buttons) do
        if button.label == "Cancel" then page:submit "Cancel" end
      end
    end
  end,
})
equal(denied.details.error, "access_denied")

-- A scope list that gives no access token is recognized before anything is sent.
local requests = #tenant.requests()
local without = failure(support.sign_in, { scopes = { "openid", "offline_access" } })
equal(without.code, "no_access_token_scopes")
equal(#tenant.requests(), requests)
equal(support.sign_in({ scopes = { "openid" }, access_token = false, account_type = "id" }).name, "Alice Liddell")

-- A provider that signs in another way from now on is asked for its metadata again.
tenant.configure { signing_algorithm = "ES256" }
equal(support.sign_in({ account_type = "es256" }).name, "Alice Liddell")

-- Signing out everywhere says whether the session is known to be over.
equal(accounts.sign_out(support.sign_in {}, { everywhere = true }), true)
equal(accounts.sign_out(support.sign_in {}), nil)
equal(accounts.sign_out(support.sign_in {}, { everywhere = true, agent = "terminal" }), false)
tenant.fault { path = "*/revoke", status = 503 }
local failed = failure(accounts.sign_out, support.sign_in {}, { everywhere = true })
equal(failed.code, "sign_out_failed")
equal(failed.hint, "sign out without everywhere = true, and close the session in the browser")

-- A provider that refuses to take the token back does not keep the account signed in.
tenant.fault { path = "*/revoke", status = 400, body = '{"error":"unsupported_token_type"}' }
local before = #accounts.all()
equal(accounts.sign_out(support.sign_in { account_type = "refused" }, { everywhere = true }), true)
equal(#accounts.all(), before)

-- The browser goes where the setting says afterwards.
local back = settings.with { postLogoutRedirectURL = "http://127.0.0.1:9/signed-out" }
equal(accounts.sign_out(support.sign_in { settings = back, account_type = "back" }, { everywhere = true }), true)

-- A stock flow that does not exist
local unknown = failure(accounts.sign_in, { flow = "pasword" })
equal(unknown.message, "there is no flow named 'pasword'")
equal(unknown.hint, "did you mean 'password'?")
