-- Signs in to a running tenant with DPoP, and writes the access token and proofs for new tasks to a file, a line each.
local b2c = require "b2c"
local jose = b2c.jose
local path, count, password = b2c.args[1], tonumber(b2c.args[2]), b2c.args[3]

local key = jose.key.generate { alg = "ES256" }
local account = b2c.accounts.sign_in { dpop = key, agent = "headless", username = "alice", password = password }
local token = account:token():reveal()
local header = { typ = "dpop+jwt", jwk = jose.key.public(key) }
local claims = { htm = "POST", htu = b2c.settings.taskAPI .. "/api/tasks", iat = os.time(), ath = jose.hash(token) }
local file <close> = assert(io.open(path, "w"))
file:write(token, "\n")
for number = 1, count do
  claims.jti = ("proof-%d"):format(number)
  file:write(jose.sign(claims, key, header):reveal(), "\n")
end
