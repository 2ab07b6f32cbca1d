-- Replaces the store of accounts with its own, or moves the accounts or their parent folders away.
-- From: os.rename, which other sandboxes keep; access to a store gives access to its accounts.
-- flags: --allow-read --allow-write
local e = require "support"
-- These folders hold the accounts, now or in earlier versions. The host would adopt a store that is put there.
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
