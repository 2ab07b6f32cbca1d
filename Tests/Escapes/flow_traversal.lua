-- Names a stock flow by a path.
-- From: template and theme names that are put into a path (CWE-22).
local e = require "support"
local accounts = require "b2c.accounts"
for _, name in ipairs { "../../outside/module", e.outside .. "/module", "../../../" .. e.outside .. "/module", "module\0", "" , ".", ".." } do
  e.fails(accounts.sign_in, { flow = name, agent = "headless", username = "alice", password = "Wonderland-1" })
end
e.held()
