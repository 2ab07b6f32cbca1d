-- Puts a store of one's own in the place of the accounts, or takes the accounts out, or the folders above them.
-- From: os.rename, which other sandboxes leave in with os; a store is as good as the account it holds.
-- flags: --allow-read --allow-write
local e = require "support"
-- Where accounts are, and where earlier versions had them: what is put there would be taken over.
for _, place in ipairs { e.home .. "/.local/state", e.home .. "/.local/share" } do
  local store = place .. "/b2c-run"
  for _, path in ipairs { store .. "/accounts.sqlite", store, place, e.home .. "/.local", e.home } do
    e.denied(os.rename, path, "mine")
    e.denied(os.rename, "mine.txt", path)
    e.denied(os.remove, path)
  end
  e.denied(os.rename, "mine.txt", store .. "/accounts.sqlite-journal")
end
e.denied(os.rename, "mine.txt", e.home .. "/.local/share/b2c-run/plugins/evil.lua")
e.held()
