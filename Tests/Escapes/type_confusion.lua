-- Calls methods on objects of another type, and on tables that imitate them.
-- From: light userdata and fake metatables; luaL_checkudata compares a name, which a script could give its own table.
local e = require "support"
local b2c = require "b2c"
local account = b2c.tenant.sign_in()
local fakes = {
  {}, setmetatable({}, { __name = "account", __index = account }), setmetatable({}, { __name = "FILE*" }), io.stdout,
  b2c.settings, account:token(), print, coroutine.create(print), 0, 2 ^ 53, "account", false,
}
for _, fake in ipairs(fakes) do
  for _, method in ipairs { account.token, account.request, account.refresh, account.save, account:token().reveal, io.stdout.write, io.stdout.close, io.stdout.seek } do
    if not (fake == io.stdout or type(fake) == "userdata" and pcall(function() return fake.reveal end) and method == fake.reveal) then
      e.fails(method, fake)
    end
  end
end
e.held()
