-- The tenant of a cluster: b2c-run -A --local=DATA tenant.lua SETTINGS SECONDS
local b2c = require "b2c"
local path, settings = b2c.args[1], b2c.settings

b2c.tenant.configure { access_token_lifetime = tonumber(b2c.args[2]), rotate_refresh_tokens = true }
local file <close> = assert(io.open(path .. ".new", "w"))
file:write(b2c.json.encode {
  authority = settings.authority, clientID = settings.clientID, bhh = settings.bhh, keychain = settings.keychain,
  taskAPI = settings.taskAPI,
})
file:close()
os.rename(path .. ".new", path)
while true do b2c.async.sleep(3600) end
