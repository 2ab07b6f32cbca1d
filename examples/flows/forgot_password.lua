-- The link "Forgot your password?" in B2C's combined policy leads to no page: the sign-in fails with AADB2C90118, and
-- the program has to send the user to the policy for password reset. Here a handler does this, and the sign-in
-- continues.
--
--   b2c-run --local examples/flows/forgot_password.lua

local b2c = require "b2c"
local accounts, tenant = b2c.accounts, b2c.tenant

-- Acts like a user in the browser.
local function on_page(page)
  print("  page     " .. page.title)
  local has = {}
  for _, form in ipairs(page.forms) do
    for _, field in ipairs(form.fields) do has[field.name] = true end
  end
  if has.verificationCode then
    page:fill("verificationCode", tenant.outbox()[#tenant.outbox()].code)
  elseif has.newPassword then
    page:fill("newPassword", "Through-the-Looking-Glass-2")
    page:fill("reenterPassword", "Through-the-Looking-Glass-2")
  elseif has.password then
    return page:follow "Forgot your password?"
  else
    page:fill("logonIdentifier", "alice")
  end
  page:submit()
end

accounts.on_failed(function(failure)
  print("  failed   " .. failure.error.message)
  if failure.error.code == "AADB2C90118" then
    return { policy = "reset" } -- the name in settings.policies
  end
end)

print "Alice has forgotten her password"
local alice = accounts.sign_in { agent = "headless", on_page = on_page }
print(("  %s is in, by %s"):format(alice.name, alice.policy))

print "From now on she signs in with the new one"
alice = accounts.sign_in { agent = "headless", username = "alice", password = "Through-the-Looking-Glass-2" }
print(("  %s is in, by %s"):format(alice.name, alice.policy))
