-- Signs up with the sign-up policy, then signs in with the sign-in policy: two policies, one user.
--
--   b2c-run --local examples/flows/sign_up.lua

local b2c = require "b2c"
local accounts = b2c.accounts

local carol = {
  username = "carol",
  email = "carol@contoso.example",
  displayName = "Carol Kaspar",
  newPassword = "Theremin-59",
  reenterPassword = "Theremin-59",
}

local new = accounts.sign_in {
  policy = "signUp",
  agent = "headless",
  on_page = function(page)
    print(page.title)
    for name, value in pairs(carol) do page:fill(name, value) end
    page:submit()
  end,
}
print(("%s is new: %s by %s"):format(new.name, new.claims.emails[1], new.policy))

local back = accounts.sign_in { agent = "headless", username = "carol", password = "Theremin-59" }
print(("%s is back: %s by %s"):format(back.name, back.claims.emails[1], back.policy))
print("the same user: " .. tostring(new.claims.sub == back.claims.sub))
