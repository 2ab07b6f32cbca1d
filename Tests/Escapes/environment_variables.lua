-- Reads the environment, where others keep their secrets.
-- From: os.getenv in every sandbox that left os in; GitHub's and npm's tokens are there.
local e = require "support"
for _, name in ipairs { "CANARY_VARIABLE", "HOME", "PATH", "canary_variable", "CANARY_VARIABLE\0", "" } do
  e.denied(os.getenv, name)
end
e.held()
