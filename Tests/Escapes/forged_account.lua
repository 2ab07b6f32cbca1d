-- Makes an account with a real refresh token and another server as its provider, and refreshes it.
-- From: the confused deputy: the host sends refresh tokens by itself.
local e = require "support"
local b2c = require "b2c"
local stolen
b2c.accounts.sign_in {
  agent = "headless", username = "alice", password = "Wonderland-1",
  flow = function(ctx)
    local url = b2c.oauth.authorize_url { redirect_uri = ctx.redirect_uri }
    local code = b2c.oauth.redirect(b2c.browser.open(url, { agent = ctx.agent })).code
    stolen = b2c.oauth.token { grant_type = "authorization_code", code = code, redirect_uri = ctx.redirect_uri }
    return stolen
  end,
}
for _, name in ipairs { "tokenURL", "taskAPI" } do
  e.denied(b2c.accounts.sign_in, {
    settings = b2c.settings.with { [name] = e.listener .. "/token" }, flow = function() return stolen end, access_token = false,
  })
end
for _, account in ipairs(b2c.accounts.all()) do pcall(account.refresh, account) end
e.held()
