-- Native authentication of Microsoft Entra External ID: a person signs up, signs in and resets a password without a browser.
--
--   b2c-run --local examples/flows/native.lua

local b2c = require "b2c"
local accounts, tenant = b2c.accounts, b2c.tenant

tenant.configure { kind = "external_id", sign_up_attributes = { displayName = "", city = "^[A-Z]" } }

--- Returns the code that the tenant has mailed, as a person would read it.
local function read_mail(sent)
  print(("a code with %d digits was sent to %s"):format(sent.length, sent.target))
  return tenant.outbox()[#tenant.outbox()].code
end

local function sign_in(options)
  options.flow, options.username, options.code = "native", "carol@contoso.example", read_mail
  return accounts.sign_in(options)
end

local carol = sign_in {
  sign_up = true,
  password = "Theremin-59",
  attributes = function(required)
    for _, attribute in ipairs(required) do print("required: " .. attribute.name) end
    return { displayName = "Carol Kaspar", city = "Athens" }
  end,
}
print(("%s of %s is new"):format(carol.name, carol.claims.city))

carol = sign_in { password = "Theremin-59" }
print(carol.name .. " is back, with her password")

carol = sign_in { reset = true, password = "Theremin-60" }
print(carol.name .. " has a new password")

local ok, problem = pcall(sign_in, { password = "Theremin-59" })
print(ok, problem.code, problem.details.error_codes)

-- If the provider wants a browser, the sign-in continues with one.
tenant.fault { native = "redirect" }
accounts.on_failed(function(failure)
  print(failure.error.message)
  if failure.error.code == "redirect" then
    return { flow = "authorization_code", agent = "headless" }
  end
end)
carol = sign_in { password = "Theremin-60" }
print(carol.name .. " has signed in with a browser")
