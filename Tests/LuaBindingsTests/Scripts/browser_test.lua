-- The headless agent: pages fetched and filled, by itself or by hand.

local b2c = require "b2c"
local browser, oauth, settings, tenant = b2c.browser, b2c.oauth, b2c.settings, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

--- Opens the authorization URL with these options over those of alice.
local function open(options, request)
  local all = { agent = "headless", username = "alice", password = "Wonderland-1" }
  for name, value in pairs(options or {}) do all[name] = value or nil end
  return browser.open(oauth.authorize_url(request or { state = "s" }), all)
end

-- By itself
local redirect = open()
equal(redirect:sub(1, #settings.redirectURL), settings.redirectURL)
equal(oauth.redirect(redirect, { state = "s" }).state, "s")

-- To a loopback URL, in the fragment, by a form that posts itself
local back = "http://127.0.0.1:9/callback"
redirect = open({ redirect_uri = back }, { redirect_uri = back })
assert(oauth.redirect(redirect, { redirect_uri = back }).code)
for _, mode in ipairs { "fragment", "form_post" } do
  redirect = open({ redirect_uri = back },
    { redirect_uri = back, response_type = "code id_token", response_mode = mode, nonce = "n" })
  local answer = oauth.redirect(redirect, { redirect_uri = back })
  equal(oauth.verify(answer.id_token, { nonce = "n" }).nonce, "n")
end

-- The addresses to which the browser navigates
local kinds, last = {}, nil
open { on_navigate = function(url, kind)
  table.insert(kinds, kind)
  last = url
end }
equal(table.concat(kinds, " "), "authorize login redirect")
equal(last:sub(1, #settings.redirectURL), settings.redirectURL)
open { on_navigate = function() return "hide" end }
for _, at in ipairs { "authorize", "login", "redirect" } do
  local e = failure(open, { on_navigate = function(_, kind) return kind == at and "stop" or "show" end })
  equal(e.code, "stopped")
  assert(e.message:find("the sign-in was stopped by on_navigate at", 1, true))
end
equal(message(open, { on_navigate = function() return "go" end }),
  'on_navigate: expected "show", "hide" or "stop", got "go"')
assert(message(open, { on_navigate = function() error("mine") end }):find("mine"))

-- By hand
local page
redirect = open { username = false, password = false, on_page = function(p)
  page = p
  p:fill("logonIdentifier", "alice@contoso.example")
  p:fill("password", "Wonderland-1")
  p:submit("Sign in")
end }
assert(oauth.redirect(redirect).code)
equal(page.title:find("Sign in") ~= nil, true)
equal(page.status, 200)
assert(page.url:find(tenant.url, 1, true))
assert(page.text:find("Local tasks app", 1, true))
equal(#page.alerts, 0)
equal(#page.forms, 1)
local form = page.forms[1]
equal(form.method, "POST")
assert(form.action:find("/login", 1, true))
local fields = {}
for _, field in ipairs(form.fields) do fields[field.name] = field end
equal(fields.logonIdentifier.type, "text")
equal(fields.logonIdentifier.label, "User name or email")
equal(fields.password.type, "password")
equal(fields.tx.type, "hidden")
equal(form.buttons[1].label, "Sign in")
equal(form.buttons[2].value, "cancel")

-- A page that is left alone is filled as usual; one that is filled is submitted.
local pages = 0
open { on_page = function() pages = pages + 1 end }
equal(pages, 1)
open { username = false, password = false, on_page = function(p)
  p:fill("logonIdentifier", "alice")
  p:fill("password", require("b2c.settings").with({ clientSecret = "Wonderland-1" }).clientSecret)
end }

-- A second try on the page itself, and the button that cancels
local alerts = {}
open { on_page = function(p)
  table.insert(alerts, p.alerts[1] or "none")
  p:fill("logonIdentifier", "alice")
  p:fill("password", #alerts == 1 and "Wrong-Password-1" or "Wonderland-1")
end }
equal(alerts[1], "none")
assert(alerts[2]:find("We don't seem to recognize this user name and password", 1, true))
redirect = open { on_page = function(p) p:submit("cancel") end }
equal(failure(oauth.redirect, redirect).code, "AADB2C90091")

-- Fields and buttons that a page does not have
assert(message(open, { on_page = function(p) p:fill("pasword", "x") end }):find('has no field "pasword"', 1, true))
equal(failure(open, { on_page = function(p) p:fill("pasword", "x") end }).hint, 'did you mean "password"?')
assert(message(open, { on_page = function(p) p:submit("Log in") end }):find('has no button "Log in"', 1, true))
equal(message(open, { on_page = function(p) p:fill("password", 5) end }),
  "page:fill: argument 2: expected a string or secret, got number")
assert(message(open, { on_page = function() error("mine") end }):find("mine"))

-- A wrong password, none, no answer
local e = failure(open, { password = "Wrong-Password-1" })
equal(e.code, "AADB2C90225")
assert(e.message:find("We don't seem to recognize this user name and password", 1, true), e.message)
equal(e.hint, "check the user name and the password")
equal(e.details.aadb2c_code, "AADB2C90225")
e = failure(open, { password = false })
equal(e.code, "missing_credentials")
equal(e.hint, "give password = …, or fill the page in on_page")
tenant.fault { path = "*/authorize", status = 500 }
equal(failure(open).status, 500)
tenant.fault { path = "*/authorize", delay = 5 }
e = failure(open, { timeout = 0.05 })
equal(e.code, "timeout")

-- B2C shows some errors on a page, because it may not send them to the redirect URI. These errors have a hint, too.
e = failure(support.sign_in, { settings = settings.with { redirectURL = "https://app.example/callback" } })
equal(e.code, "AADB2C90006")
equal(e.hint, "register exactly the redirectURL of the settings for this application")
tenant.users.add { username = "locked", password = "Locked-Out-1" }
for _ = 1, 11 do e = failure(open, { username = "locked", password = "wrong" }) end
equal(e.code, "AADB2C90114")
equal(e.hint, "wait some minutes, then sign in again")

-- Wrong use
equal(message(browser.open), "browser.open: argument 1: expected a string, got nothing")
equal(failure(browser.open, "https://x.example", { agnet = "headless" }).hint, "did you mean 'agent'?")
equal(message(browser.open, "x", { agent = "netscape" }),
  'browser.open: option \'agent\': expected one of "system", "terminal", "headless", "webview" or agent, got "netscape"')
equal(message(browser.open, "x", { timeout = -1 }),
  "browser.open: option 'timeout': expected seconds above zero, got -1.0")
equal(failure(browser.open, "http://example.com/authorize", { agent = "headless" }).code, "insecure_url")
