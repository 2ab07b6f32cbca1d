-- PKCE (RFC 7636) with the methods S256 and plain: shows what an attacker who watches the browser learns.
--
--   b2c-run --local examples/flows/pkce_methods.lua [METHOD]
--
-- With METHOD it signs in by this method only, so that two traces can be compared:
--
--   b2c-run --local --trace s256.json examples/flows/pkce_methods.lua S256
--   b2c-run --local --trace plain.json examples/flows/pkce_methods.lua plain
--   b2c-run trace compare s256.json plain.json

local b2c = require "b2c"
local accounts, args, browser, oauth = b2c.accounts, b2c.args, b2c.browser, b2c.oauth

--- Runs the authorization code flow with the method. `seen` receives the fields that pass through the browser.
--- `verifier` replaces the correct verifier that is sent with the code.
local function flow(method, seen, verifier)
  return function(ctx)
    local pkce, state = oauth.pkce(method), oauth.random()
    local url = oauth.authorize_url {
      policy = ctx.policy, scopes = ctx.options.scopes, state = state, nonce = oauth.random(), pkce = pkce,
    }
    seen.challenge = url:match "code_challenge=([^&]+)"
    seen.is_verifier = seen.challenge == pkce.verifier

    local answer = oauth.redirect(browser.open(url, { agent = ctx.agent }), { state = state })
    return oauth.token {
      grant_type = "authorization_code",
      policy = ctx.policy,
      code = answer.code,
      redirect_uri = ctx.redirect_uri,
      code_verifier = verifier or pkce.verifier,
    }
  end
end

local function sign_in(flow)
  return accounts.sign_in { flow = flow, agent = "headless", username = "alice", password = "Wonderland-1" }
end

for _, method in ipairs(args[1] and { args[1] } or { "S256", "plain" }) do
  local seen = {}
  local account = sign_in(flow(method, seen))
  print(("%-6s %s is in; the URL had a challenge of %d characters, %s"):format(
    method, account.name, #seen.challenge,
    seen.is_verifier and "which is the verifier: whoever reads it can redeem the code"
      or "from which nobody gets the verifier"))
end

if args[1] then return end

-- Shows the provider's answer to an attacker who has the code but not the verifier.
local ok, problem = pcall(sign_in, flow("S256", {}, oauth.pkce().verifier))
assert(not ok)
print("stolen " .. (problem --[[@as b2c.error]]).message)
