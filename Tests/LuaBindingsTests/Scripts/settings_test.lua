local b2c = require "b2c"
local settings, tenant, json = b2c.settings, b2c.tenant, b2c.json
local support = require "support"
local equal, message = support.equal, support.message

assert(settings == require "b2c.settings")

-- The tutorial's names, and both names of the redirect URL.
equal(settings.clientID, "9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093")
equal(settings.taskAPI, tenant.url)
equal(settings.bhh, "http://localhost")
equal(settings.redirectURL, settings.bhh)
equal(settings.accountIdentifier, "B2C_Local_Tasks")
assert(settings.authURL:find("?p=", 1, true) and settings.tokenURL:find("?p=", 1, true))

-- A setting that is not set has its default, or is nil.
equal(settings.contentType, "application/x-www-form-urlencoded")
equal(settings.tasksPath, "/api/tasks")
equal(settings.tokenType, "Bearer")
equal(table.concat(settings.scopes, " "), "openid " .. settings.clientID .. " offline_access")
equal(settings.clientSecret, nil)
equal(settings.noSuchThing, nil)

local names = {}
for name, value in pairs(settings) do
  names[name] = true
  assert(value ~= nil, name)
end
assert(names.clientID and names.taskAPI and names.scopes and not names.clientSecret)

-- with: returns a copy; the original stays unchanged.
local other = settings.with {
  taskAPI = "https://tasks.example.com/",
  scopes = { "openid", "https://contoso.onmicrosoft.com/tasks/read" },
  clientSecret = "very secret indeed",
  policies = { reset = "B2C_1_reset" },
  favoriteColor = "blue",
}
equal(other.taskAPI, "https://tasks.example.com/")
equal(other.scopes[2], "https://contoso.onmicrosoft.com/tasks/read")
equal(other.policies.reset, "B2C_1_reset")
equal(other.favoriteColor, "blue")
equal(other.clientID, settings.clientID)
equal(settings.taskAPI, tenant.url)
equal(settings.favoriteColor, nil)

equal(tostring(other.clientSecret), "[secret]")
equal(other.clientSecret:reveal(), "very secret indeed")
equal(settings.with { clientSecret = other.clientSecret }.clientSecret:reveal(), "very secret indeed")
equal(other.with { favoriteColor = json.null }.favoriteColor, nil)

-- Read-only, and it says so.
equal(message(function() settings.clientID = "x" end), "settings.clientID cannot be set")
equal(message(function() b2c.settings = 1 end), "b2c is read-only: cannot set 'settings'")

-- Errors name the wrong values and the expected values.
local function wrong(changes) return support.failure(settings.with, changes) end
equal(message(settings.with), "settings.with: argument 1: expected a table, got nothing")
equal(message(settings.with, { 1 }), "settings.with: settings have names, got a number as key")
assert(wrong { taskAPI = "tasks.example.com" }.message:find("taskAPI"))
assert(wrong { taskAPI = "http://tasks.example.com" }.message:find("in the clear to tasks.example.com", 1, true))
assert(wrong { clientID = "<client ID>" }.message:find("clientID"))
assert(wrong { contentType = "text/csv" }.message:find('contentType is "text/csv"', 1, true))
equal(wrong({ taskApi = "https://x.example" }).message,
  'settings.with: there is no setting "taskApi"; did you mean "taskAPI"?')
assert(wrong({ clientID = print }).message:find("clientID"))
