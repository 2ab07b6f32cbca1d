-- Reads the host's stored data in every way: accounts, keys, journals, settings. Reading is allowed everywhere.
-- From: tools whose plugins can read their credentials: kubectl, npm, browsers.
-- flags: --allow-read --allow-write
local e = require "support"
for _, path in ipairs {
  "/.local/state/b2c-run/accounts.sqlite", "/.local/state/b2c-run/accounts-default.key", "/.local/state/b2c-run",
  "/.local/share/b2c-run/accounts.sqlite", "/.local/share/b2c-run/key", "/.local/state/b2c-run/imports/x",
  "/.config/b2c-run/settings.plist", "/.local/share/b2c-run", "/.local/./share/../share/b2c-run/accounts.sqlite",
} do
  e.denied(io.open, e.home .. path)
  e.denied(io.open, e.home .. path, "w")
end
for _, link in ipairs { "store", "old" } do e.denied(io.open, link .. "/accounts.sqlite") end
e.denied(io.open, "settings.plist")
e.denied(io.open, "./folder/../settings.plist")
e.denied(dofile, "settings.plist")
e.held()
