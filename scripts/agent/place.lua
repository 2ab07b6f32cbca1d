-- The account or the task service of a tool for agents.

local b2c = require "b2c"

--- The options of a call of `b2c.tasks` or `b2c.imports`.
return function(service, more)
  local options = more or {}
  if service then
    options.service = service
  elseif b2c.tenant.is_running() then
    options.account = b2c.tenant.sign_in()
  else
    options.account = b2c.accounts.get()
  end
  return options
end
