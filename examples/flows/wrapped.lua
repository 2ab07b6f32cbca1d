-- The stock flow, then a check of your own. oauth.flow calls a flow by its name; hooks change its requests.
--
--   b2c-run --local examples/flows/wrapped.lua

local b2c = require "b2c"
local accounts, oauth = b2c.accounts, b2c.oauth

--- The authorization code flow, for the addresses of one company only.
local function company(ctx)
  return oauth.flow "authorization_code"(ctx, {
    prompt = "login",
    after_token = function(response)
      local _, claims = oauth.decode(response.id_token)
      local address = claims.emails[1]
      if not address:match "@contoso%.example$" then error(address .. " is not an address of contoso.example", 0) end
    end,
  })
end

--- The same flow with a parameter for the pages, and an extra field for the token endpoint.
local function campaign(ctx)
  return oauth.flow "authorization_code"(ctx, {
    before_authorize = function(request) request.parameters = { campaign = "autumn" } end,
    before_token = function(request) request.client_info = "1" end,
  })
end

local function sign_in(flow, username, password)
  return accounts.sign_in { flow = flow, agent = "headless", username = username, password = password }
end

print(sign_in(company, "alice", "Wonderland-1").name .. " is in")

b2c.tenant.users.add { username = "eve@elsewhere.example", password = "Apple-of-Eden-4" }
local ok, problem = pcall(sign_in, company, "eve@elsewhere.example", "Apple-of-Eden-4")
assert(not ok)
print((problem --[[@as b2c.error]]).message)

print(sign_in(campaign, "bob", "Skyscraper-2").name .. " is in, by the campaign")
