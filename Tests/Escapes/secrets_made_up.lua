-- Makes the host treat a word as a secret, so that the word is hidden in the question about a command.
-- From: Claude Code's CVE-2025-54795 and similar: the user approved another command than the one that ran.
local e = require "support"
local b2c = require "b2c"
local oauth, settings = b2c.oauth, b2c.settings
local word = "; touch pwned"
for _, try in ipairs {
  function() oauth.decode(word) end, function() oauth.verify(word) end, function() oauth.revoke(word) end,
  function() tostring(settings.with({ clientSecret = word }).clientSecret) end,
  function() oauth.redirect(settings.redirectURL .. "#access_token=%3B%20touch%20pwned&id_token=%3B%20touch%20pwned") end,
  function() b2c.browser.open(settings.redirectURL .. "?code=%3B%20touch%20pwned", { agent = "headless" }) end,
  function() oauth.token { grant_type = "refresh_token", refresh_token = word } end,
  function() oauth.end_session_url { id_token_hint = word } end,
  function() b2c.accounts.sign_in { agent = "headless", username = "alice", password = word } end,
  function() b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1", otp = word } end,
  function() b2c.accounts.sign_in { flow = "refresh", refresh_token = word } end,
  function() b2c.http.post(b2c.tenant.url, { form = { password = word }, headers = { Authorization = "Bearer " .. word } }) end,
  -- A server may return the word as a token. Then it is a secret, but the question still shows it.
  function()
    b2c.tenant.fault { path = settings.tokenURL:match "^%w+://[^/]+([^?]*)", status = 200,
      headers = { ["Content-Type"] = "application/json" },
      body = b2c.json.encode { access_token = word, refresh_token = word, token_type = "Bearer" } }
    oauth.token { grant_type = "password", username = "alice", password = "Wonderland-1" }
  end,
} do
  pcall(try)
  local _, problem = pcall(os.execute, "git --version" .. word)
  if problem.message ~= "os.execute: needs permission to run git --version" .. word then e.escaped(problem.message) end
end
e.held()
