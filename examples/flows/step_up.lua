-- Step-up authentication: this morning's sign-in is enough for most operations. For some operations the user must have
-- typed the password recently (max_age) or used a second factor (acr_values).
--
--   b2c-run --local examples/flows/step_up.lua

local b2c = require "b2c"
local accounts, tenant = b2c.accounts, b2c.tenant

tenant.users.add { username = "dora", password = "Labyrinth-3", phone = "+15550103" }

-- The browser's session, stored under a name, and the number of passwords typed into its pages.
local typed = 0
local function sign_in(options)
  options.agent, options.session = "headless", "morning"
  options.username, options.password = "dora", "Labyrinth-3"
  options.on_page = function(page)
    for _, form in ipairs(page.forms) do
      for _, field in ipairs(form.fields) do
        if field.type == "password" then typed = typed + 1 end
      end
    end
  end
  options.otp = function() return tenant.outbox()[#tenant.outbox()].code end
  return accounts.sign_in(options)
end

local account = sign_in {}
print(("%s signs in: %d password typed"):format(account.name, typed))

sign_in { account = account }
print(("once more, the session answers: %d"):format(typed))

tenant.advance(600) -- ten minutes pass
account = sign_in { account = account, max_age = 300 }
print(("for the bank transfer, at most five minutes old: %d"):format(typed))

account = sign_in { account = account, acr_values = "mfa" }
print(("for the new address, a code by text message: acr is %s"):format(account.claims.acr))

-- The API itself may demand it (RFC 9470): the error has the demand, and for_challenge signs in with it.
tenant.require_step_up { max_age = 300, method = "DELETE" }
local task = b2c.tasks.add("Pay the rent", { account = account })
tenant.advance(600)
local _, demand = pcall(b2c.tasks.remove, task, { account = account })
print(("to remove a task: %s, max_age %s"):format(demand.code, demand.details.max_age))
account = sign_in { account = account, for_challenge = demand }
b2c.tasks.remove(task, { account = account })
print(("removed, %d passwords typed"):format(typed))
