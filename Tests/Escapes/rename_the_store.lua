-- Puts a store of one's own in the place of the accounts, or takes the accounts out, or the folders above them.
-- From: os.rename, which other sandboxes leave in with os; a store is as good as the account it holds.
-- flags: --allow-read --allow-write
local e = require "support"
local store = e.home .. "/.local/share/b2c-run"
for _, path in ipairs { store .. "/accounts.sqlite", store, e.home .. "/.local/share", e.home .. "/.local", e.home } do
  e.denied(os.rename, path, "mine")
  e.denied(os.rename, "mine.txt", path)
  e.denied(os.remove, path)
end
e.denied(os.rename, "mine.txt", store .. "/accounts.sqlite-journal")
e.denied(os.rename, "mine.txt", store .. "/plugins/evil.lua")
e.held()
