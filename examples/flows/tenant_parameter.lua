-- A separate parameter for each tenant: one tenant's custom policy needs it in the authorization request (a campaign, a
-- brand), and another tenant's policy does not know it. The parameter is in the settings, so the flow stays the same.
--
--   b2c-run --local examples/flows/tenant_parameter.lua

local b2c = require "b2c"
local accounts, settings = b2c.accounts, b2c.settings

local tenants = {
  retail = settings.with { additionalParameters = { campaign = "spring" } },
  partners = settings.with { additionalParameters = { brand = "wholesale", domain_hint = "partners.example" } },
}

for _, name in ipairs { "retail", "partners" } do
  local account = accounts.sign_in {
    account_type = name,
    settings = tenants[name],
    parameters = { correlation = name .. "-1" }, -- for this sign-in only
    agent = "headless",
    username = "alice",
    password = "Wonderland-1",
    on_navigate = function(url, kind)
      if kind ~= "authorize" then return end
      local extra = {}
      for key, value in url:gmatch "[?&]([%w_]+)=([^&]*)" do
        if key == "campaign" or key == "brand" or key == "domain_hint" or key == "correlation" then
          table.insert(extra, key .. "=" .. value)
        end
      end
      table.sort(extra)
      print(("%-9s %s"):format(name, table.concat(extra, " ")))
    end,
  }
  -- The account keeps its tenant: every refresh goes there, now or in another script next week.
  account:refresh()
end
