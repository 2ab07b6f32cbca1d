-- Signed authorization responses (JARM), and the issuer of redirects (RFC 9207).

local b2c = require "b2c"
local oauth, tenant = b2c.oauth, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure

for _, mode in ipairs { "jwt", "query.jwt", "fragment.jwt", "form_post.jwt" } do
  equal(support.sign_in { response_mode = mode }.name, "Alice Liddell")
end
equal(support.sign_in { response_mode = "jwt", par = true }.name, "Alice Liddell")
equal(support.sign_in { parameters = { response_mode = "jwt" } }.name, "Alice Liddell")

-- The redirect has nothing but the JWT.
local redirect
local function flow(ctx)
  local pkce = oauth.pkce()
  local url = oauth.authorize_url {
    policy = ctx.policy, scopes = ctx.options.scopes, state = "s", pkce = pkce, response_mode = "jwt",
    prompt = ctx.options.prompt,
  }
  redirect = b2c.browser.open(url, { agent = ctx.agent })
  local answer = oauth.redirect(redirect, { state = "s" })
  equal(answer.iss, nil)
  return oauth.token {
    grant_type = "authorization_code", code = answer.code, redirect_uri = ctx.redirect_uri,
    code_verifier = pkce.verifier,
  }
end
equal(support.sign_in { flow = flow }.name, "Alice Liddell")
assert(redirect:find "[?&]response=ey" and not redirect:find "code=" and not redirect:find "state=", redirect)

-- An error inside is told as that error.
equal(failure(support.sign_in, { flow = flow, prompt = "none" }).code, "AADB2C90077")
assert(redirect:find "[?&]response=ey" and not redirect:find "error=", redirect)

-- Wrong responses
local function fault(kind, code, message)
  tenant.fault { jarm = kind }
  local e = failure(support.sign_in, { response_mode = "jwt" })
  equal(e.code, code)
  assert(e.message:find(message, 1, true), e.message)
end
fault("alg_none", "algorithm_not_allowed",
  'the authorization response is signed in a way that is not allowed (alg): expected RS256, got "none"')
fault("hmac", "algorithm_not_allowed", 'expected RS256, got "HS256"')
fault("wrong_aud", "audience_mismatch", "the authorization response is for another application (aud): expected ")
fault("wrong_iss", "issuer_mismatch", "the authorization response is from another issuer (iss): expected ")
fault("expired", "token_expired", "the authorization response has expired (exp): expected ")
fault("no_exp", "missing_claim", "the authorization response has no exp")
fault("foreign_key", "signature_mismatch", "the token's signature was not made by the key ")
fault("unsigned", "unsigned_response",
  "the redirect has no signed response (the parameter response), which the request asked for (response_mode)")

-- An unsigned error is told, with a warning.
tenant.fault { jarm = "unsigned" }
local e = failure(support.sign_in, { flow = flow, prompt = "none" })
equal(e.code, "AADB2C90077")
equal(e.details.missing_parameter, "response")
assert(e.hint:find "the redirect is not signed", e.hint)

-- Another state inside
tenant.clear_faults()
local e = failure(support.sign_in, {
  flow = function(ctx)
    local url = oauth.authorize_url { scopes = ctx.options.scopes, state = "s", response_mode = "jwt" }
    return oauth.redirect(b2c.browser.open(url, { agent = ctx.agent }), { state = "mine" })
  end,
})
equal(e.code, "state_mismatch")

-- Required by the tenant
tenant.require { "jarm" }
equal(failure(support.sign_in, {}).code, "invalid_request")
equal(support.sign_in { response_mode = "jwt" }.name, "Alice Liddell")
tenant.require {}

-- The issuer of a redirect without a JWT
tenant.fault { iss = "other" }
e = failure(support.sign_in, {})
equal(e.code, "issuer_mismatch")
equal(e.details.actual, '"https://other.example/"')
tenant.fault { iss = "missing" }
e = failure(support.sign_in, {})
equal(e.code, "issuer_mismatch")
equal(e.details.actual, "none")
tenant.fault { iss = "missing" }
e = failure(support.sign_in, { prompt = "none" })
equal(e.code, "AADB2C90077")
equal(e.details.missing_parameter, "iss")
equal(support.sign_in {}.name, "Alice Liddell")
