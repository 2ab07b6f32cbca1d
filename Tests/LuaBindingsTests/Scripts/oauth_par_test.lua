-- Pushed authorization requests (RFC 9126).

local b2c = require "b2c"
local browser, oauth, settings, tenant = b2c.browser, b2c.oauth, b2c.settings, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure

local function refused(options) return failure(support.sign_in, options) end

-- The request goes to the provider, and the URL has only its name.
local pushed = oauth.par { state = "s", nonce = "n", login_hint = "alice" }
assert(pushed.request_uri:find "^urn:ietf:params:oauth:request_uri:")
equal(pushed.expires_in, 60)
local url = oauth.authorize_url { request_uri = pushed.request_uri }
assert(url:find "client_id=" and url:find "request_uri=urn" and not url:find "scope" and not url:find "login_hint", url)
assert(oauth.authorize_url { par = true, state = "s" }:find "request_uri=urn")
assert(not oauth.authorize_url { par = false, state = "s" }:find "request_uri")

-- The sign-in: the nonce, the redirect URI and the state of the pushed request count, as those of a URL.
equal(support.sign_in { par = true }.name, "Alice Liddell")
assert(support.count("POST", "/par") >= 3)
equal(support.sign_in {
  flow = function(ctx)
    local pkce = oauth.pkce()
    local request = oauth.par { policy = ctx.policy, scopes = ctx.options.scopes, state = "s-2", nonce = "n-2", pkce = pkce }
    local back = browser.open(oauth.authorize_url { request_uri = request.request_uri }, { agent = ctx.agent })
    return oauth.token {
      grant_type = "authorization_code", code = oauth.redirect(back, { state = "s-2" }).code,
      redirect_uri = ctx.redirect_uri, code_verifier = pkce.verifier,
    }
  end,
}.name, "Alice Liddell")

-- A confidential client authenticates there, too.
local web = settings.with {
  clientID = tenant.applications.web.client_id, clientSecret = tenant.applications.web.client_secret,
}
equal(support.sign_in { par = true, settings = web, account_type = "web" }.name, "Alice Liddell")
local stranger = settings.with { clientID = tenant.applications.web.client_id, clientSecret = "wrong" }
equal(refused { par = true, settings = stranger }.code, "AADB2C90081")

-- Wrong answers of the provider
local endpoint = "the endpoint for pushed authorization requests " .. oauth.metadata().pushed_authorization_request_endpoint
local function fault(name, message)
  tenant.fault { par = name }
  local e = refused { par = true }
  equal(e.code, "malformed_response")
  equal(e.message, ("%s answered %s (RFC 9126, 2.2)"):format(endpoint, message))
  equal(e.hint, "the provider does not follow the standard; sign in with par = false")
end
fault("status_200", "200, and a pushed request is answered with 201")
fault("no_uri", "without a request_uri")
fault("no_expiry", "without expires_in, a number")
fault("expired", "with expires_in 0, so the request is expired already")
tenant.fault {
  path = "*/par", status = 400, body = '{"error":"invalid_request","error_description":"too long"}',
}
local e = refused { par = true }
equal(e.code, "invalid_request")
equal(e.message, "invalid_request: too long")

-- Required by the provider: the metadata document turns it on.
equal(oauth.metadata().require_pushed_authorization_requests, false)
tenant.require { "par" }
e = refused { par = false }
equal(e.code, "invalid_request")
assert(e.message:find "The authorization request must be pushed first", e.message)
local fresh = settings.with { authURL = "" }
equal(support.sign_in { settings = fresh, account_type = "fresh" }.name, "Alice Liddell")
tenant.require {}
equal(support.sign_in { par = false }.name, "Alice Liddell")
equal(support.message(tenant.require, { "pars" }), 'tenant.require: expected features of "par", "jarm", "dpop", "dpop_nonce", "mtls", "request_object", "private_key_jwt", got pars')
