-- A parameter of its own for each tenant: what one tenant's custom policy wants in the authorization request (a
-- campaign, a brand), another's does not know. It belongs to the settings, so that the flow stays the same.
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
    parameters = { correlation = name .. "-1" }, -- one for this sign-in alone
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
  -- The account keeps its tenant: refreshed now, or by another script next week, it goes there.
  account:refresh()
end
