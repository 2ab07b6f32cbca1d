-- oauth.redirect reads the response in a redirect.

local b2c = require "b2c"
local oauth, settings = b2c.oauth, b2c.settings
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

local uri = settings.redirectURL

-- In the query or in the fragment
equal(oauth.redirect(uri .. "?code=a%2Fb+c&state=s").code, "a/b c")
equal(oauth.redirect(uri .. "?code=c&state=s", { state = "s" }).state, "s")
local tokens = oauth.redirect(uri .. "#code=c&id_token=x.y.z&access_token=the-access-token")
equal(tokens.id_token:reveal(), "x.y.z")
equal(tostring(tokens.access_token), "[secret]")
equal(oauth.redirect(uri .. "?code=c&session_state=q").session_state, "q")
equal(oauth.redirect("http://127.0.0.1:9/cb?code=c", { redirect_uri = "http://127.0.0.1:9/cb" }).code, "c")

-- Responses to another request, or from another provider
local e = failure(oauth.redirect, uri .. "?code=c&state=theirs", { state = "mine" })
equal(e.code, "state_mismatch")
equal(e.details.expected, '"mine"')
equal(e.details.actual, '"theirs"')
equal(failure(oauth.redirect, uri .. "?code=c", { state = "mine" }).code, "state_mismatch")
equal(failure(oauth.redirect, "http://127.0.0.1:9/cb?code=c").code, "redirect_mismatch")
equal(failure(oauth.redirect, "http://127.0.0.1:9/cb?code=c", { redirect_uri = "http://127.0.0.1:9/cb/" }).code,
  "redirect_mismatch")
equal(failure(oauth.redirect, "http://127.0.0.1:90/cb?code=c", { redirect_uri = "http://127.0.0.1:9/cb" }).code,
  "redirect_mismatch")

-- Nothing of use in it
equal(failure(oauth.redirect, uri).message, "the redirect has neither a code nor an error; its parameters are none")
equal(failure(oauth.redirect, uri .. "?code=a&code=b").message, 'the redirect has the parameter "code" twice')
equal(failure(oauth.redirect, "").code, "redirect_mismatch")
equal(message(oauth.redirect), "oauth.redirect: argument 1: expected a string, got nothing")
equal(message(oauth.redirect, uri, { stat = "s" }), "oauth.redirect: unknown option 'stat'")

-- The provider's errors, B2C's taken apart
e = failure(oauth.redirect, uri .. "?error=access_denied&state=s&error_description="
  .. "AADB2C90118%3A+The+user+has+forgotten+their+password.%0D%0A"
  .. "Correlation+ID%3A+f6ac1b2e-0f43-4f3a-8b1d-0c9d6f6b0d4c%0D%0ATimestamp%3A+2019-09-17+09%3A50%3A39Z%0D%0A",
  { state = "s" })
equal(e.code, "AADB2C90118")
equal(e.message, "AADB2C90118: The user has forgotten their password")
equal(e.hint, "sign in with the password reset policy (policies.reset)")
equal(e.details.error, "access_denied")
equal(e.details.correlation_id, "f6ac1b2e-0f43-4f3a-8b1d-0c9d6f6b0d4c")
equal(e.details.timestamp, "2019-09-17 09:50:39Z")
equal(e.details.stage, "authorize")
assert(select(2, pcall(oauth.redirect, "")).where:find("^oauth_redirect_test.lua:%d+$"))

e = failure(oauth.redirect, uri .. "#error=login_required&state=s", { state = "s" })
equal(e.code, "login_required")
equal(e.message, "login_required: nobody is signed in")
equal(failure(oauth.redirect, uri .. "?error=temporarily_unavailable").retryable, true)
