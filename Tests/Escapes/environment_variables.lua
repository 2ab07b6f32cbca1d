-- Reads the environment, which often holds secrets.
-- From: os.getenv in sandboxes that keep os; the tokens of GitHub and npm are there.
local e = require "support"
for _, name in ipairs { "CANARY_VARIABLE", "HOME", "PATH", "canary_variable", "CANARY_VARIABLE\0", "" } do
  e.denied(os.getenv, name)
end
e.held()
