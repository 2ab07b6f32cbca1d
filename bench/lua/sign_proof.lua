-- Prints the microseconds of one DPoP proof: claims, header with the public key, signature.
local b2c = require "b2c"
local jose = b2c.jose
local key = jose.key.generate { alg = "ES256" }
local header = { typ = "dpop+jwt", jwk = jose.key.public(key) }
local ath = jose.hash("an access token of the usual kind")
local proofs = 5000

local function sign(count)
  for number = 1, count do
    jose.sign({ jti = "proof-" .. number, htm = "POST", htu = "https://api.example/tasks", iat = 1700000000, ath = ath },
      key, header)
  end
end

sign(100)
local start = os.clock()
sign(proofs)
print((os.clock() - start) / proofs * 1e6)
