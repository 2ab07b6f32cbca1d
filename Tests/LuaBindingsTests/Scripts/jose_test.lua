-- Keys, signatures and encryption.

local b2c = require "b2c"
local jose, oauth = b2c.jose, b2c.oauth
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

-- A new key prints as its kind and thumbprint only.
local key = jose.key.generate {}
equal(key.kty, "EC")
equal(key.crv, "P-256")
equal(key.kid, jose.key.thumbprint(key))
equal(table.concat(key.algorithms, " "), "ES256")
equal(tostring(key), "private key (EC P-256, " .. key.kid .. ")")
equal(message(b2c.json.encode, { key }), "json.encode: argument 1: value[1] is a key, which JSON has nothing for")
equal(failure(function() key.kid = "x" end).code, "read_only")

for alg, kind in pairs {
  ES384 = "EC P-384", ES512 = "EC P-521", EdDSA = "OKP Ed25519", PS256 = "RSA 2048", ["RSA-OAEP"] = "RSA 2048",
} do
  local made = jose.key.generate { alg = alg }
  equal(tostring(made), ("private key (%s, %s)"):format(kind, made.kid))
  if alg ~= "RSA-OAEP" then equal(table.concat(made.algorithms, " "), alg) end
end
local secret = jose.key.generate { kty = "oct" }
equal(tostring(secret), "private key (oct 256)")
equal(secret.kid, nil)
equal(jose.key.generate { kid = "k-1" }.kid, "k-1")

-- A signed token is a secret, which verifies with every form of the public key.
local public = jose.key.public(key)
equal(public.d, nil)
equal(public.kid, key.kid)
local now = os.time()
local claims = { iss = "client-1", aud = { "a", "b" }, nonce = "n", iat = now, exp = now + 60 }
local token = jose.sign(claims, key)
equal(tostring(token), "[secret]")
for _, keys in ipairs { key, public, { public }, { keys = { public } }, { jose.key.generate {}, key } } do
  local found, header = jose.verify(token, keys, { iss = "client-1", aud = "b", nonce = "n", max_age = 5 })
  equal(found.iss, "client-1")
  equal(header.kid, key.kid)
  equal(header.typ, "JWT")
end
equal(jose.verify(token:reveal(), key).nonce, "n")

-- The header of a DPoP proof (RFC 9449, 4.2)
local proof = jose.sign({ jti = oauth.random(), htm = "GET", htu = "https://api.example", iat = now, ath = jose.hash("at") },
  key, { typ = "dpop+jwt", jwk = public })
local _, header = jose.verify(proof, key, { typ = "dpop+jwt" })
equal(header.kid, nil)
equal(jose.key.thumbprint(header.jwk), key.kid)

-- A text is signed as it is.
local text, textHeader = jose.verify(jose.sign("hello", secret), secret)
equal(text, "hello")
equal(textHeader.alg, "HS256")
equal(textHeader.typ, nil)
equal(message(jose.verify, jose.sign("hello", secret), secret, { iss = "x" }),
  "the token's payload is not a JSON object, so it has no claims")

-- The example of RFC 8037, A.1 to A.4: the key, its thumbprint, the token
local ed = jose.key.load {
  kty = "OKP", crv = "Ed25519", d = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
}
equal(ed.kid, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
equal(jose.verify(
  "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
  ed), "Example of Ed25519 signing")

-- Expectations, each with its code and message
local expired = jose.sign({ exp = now - 100, iat = now - 200 }, key)
for _, case in ipairs {
  { token, { iss = "x" }, "issuer_mismatch", 'the token is from another issuer (iss): expected "x", got "client-1"' },
  { token, { sub = "x" }, "missing_claim", "the token has no sub" },
  { token, { aud = "x" }, "audience_mismatch",
    'the token is for another audience (aud): expected "x", got ["a","b"]' },
  { token, { nonce = "x" }, "nonce_mismatch", 'the token is for another request (nonce): expected "x", got "n"' },
  { token, { typ = "dpop+jwt" }, "type_mismatch",
    'the token is of another type (typ): expected "dpop+jwt", got "JWT"' },
  { token, { algorithms = "PS256" }, "algorithm_not_allowed",
    'the token is signed by the algorithm "ES256"; allowed: PS256' },
  { jose.sign({ exp = now + 9 }, key), { max_age = 5 }, "missing_claim", "the token has no iat" },
  { jose.sign({ exp = "soon" }, key), {}, "malformed_token", 'the token\'s exp is not a time in seconds: "soon"' },
  { "abc", {}, "malformed_token",
    "the token is not in compact form: it has 1 parts between dots instead of 3" },
} do
  local e = failure(jose.verify, case[1], key, case[2])
  equal(e.code, case[3])
  equal(e.message, case[4])
end
equal(failure(jose.verify, expired, key).code, "token_expired")
equal(jose.verify(expired, key, { skew = 1000 }).iat, now - 200)
equal(failure(jose.verify, jose.sign({ nbf = now + 600 }, key), key).code, "token_not_yet_valid")
equal(failure(jose.verify, jose.sign({ iat = now + 600 }, key), key).code, "token_not_yet_valid")
equal(failure(jose.verify, jose.sign({ iat = now - 600 }, key), key, { max_age = 300 }).code, "token_expired")

-- Keys that did not sign, none, and an HMAC with a public key
equal(failure(jose.verify, token, jose.key.generate {}).code, "signature_mismatch")
equal(message(jose.verify, token, { jose.key.generate {}, jose.key.generate {} }),
  ('none of the 2 keys made the token\'s signature (kid "%s")'):format(key.kid))
equal(message(jose.verify, token, ed), 'none of the 1 keys can verify the algorithm "ES256" of the token')
local parts = {}
for part in token:reveal():gmatch("[^.]+") do table.insert(parts, part) end
local unsigned = "eyJhbGciOiJub25lIn0." .. parts[2] .. "."
equal(failure(jose.verify, unsigned, key).code, "algorithm_not_allowed")
equal(failure(jose.verify, unsigned, key, { algorithms = "none" }).code, "algorithm_not_allowed")
local shared = jose.key.load { kty = "oct", k = public.x:sub(1, 43) .. public.y:sub(1, 21) }
equal(message(jose.verify, jose.sign({}, shared), public),
  'none of the 1 keys can verify the algorithm "HS256" of the token')

-- Encryption: claims, a text, a signed token
for _, alg in ipairs { "RSA-OAEP", "RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW", "dir" } do
  local recipient = jose.key.generate { alg = alg }
  local lock = alg == "dir" and recipient or jose.key.public(recipient)
  local sealed = jose.encrypt({ sub = "alice" }, lock, { alg = alg })
  equal(tostring(sealed), "[secret]")
  local opened, sealedHeader = jose.decrypt(sealed, recipient)
  equal(opened.sub, "alice")
  equal(sealedHeader.alg, alg)
  equal(sealedHeader.enc, "A256GCM")
  equal(jose.decrypt(jose.encrypt("hello", lock), recipient), "hello")
  local nested = jose.decrypt(jose.encrypt(token, lock), recipient)
  equal(tostring(nested), "[secret]")
  equal(jose.verify(nested, key).iss, "client-1")
  equal(failure(jose.decrypt, sealed, jose.key.generate { alg = alg }).code, "not_decrypted")
end
equal(failure(jose.encrypt, "x", public, { enc = "A192GCM" }).code, "algorithm_not_allowed")
equal(message(jose.encrypt, "x", { public, public }), "jose.encrypt: argument 2: expected one key, got 2")

-- Hashes: PKCE (RFC 7636, B), and at_hash of the example of OpenID Connect Core, A.3
equal(jose.hash "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
equal(jose.hash("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y", "RS256"), "77QmUPtjPfzWtF2AnpK9RQ")
equal(#jose.hash("x", "ES384"), 32)
equal(#jose.hash("x", "EdDSA"), 43)

-- Signing with a wrong key
local wrong = failure(jose.sign, {}, key, { alg = "RS256" })
equal(wrong.code, "invalid_key")
equal(wrong.message, "the new key: the algorithm RS256 needs a key of type RSA, not of type EC")
equal(wrong.hint, "this key can sign with ES256")
equal(message(jose.sign, { 1, 2 }, key), "jose.sign: argument 1: claims have names, and this is a list")
equal(message(jose.sign, {}, public), "jose.sign: argument 2: expected a key, got table")
equal(message(jose.key.generate, { kty = "RSA", bits = 1024 }), "an RSA key needs at least 2048 bits, not 1024")
equal(message(jose.key.generate, { kty = "RSA", crv = "P-256" }), "a key of type RSA has no curve P-256")
equal(message(jose.key.generate, { alg = "XS256" }), 'the algorithm "XS256" is not supported')
equal(message(jose.key.public, secret), "a symmetric key has no public half")

-- exp on demand
do
  local key = jose.key.generate { alg = "ES256" }
  local forever, today = jose.sign({ sub = "a" }, key), jose.sign({ sub = "a", exp = os.time() + 60 }, key)
  local past = jose.sign({ sub = "a", exp = os.time() - 3600 }, key)
  equal(jose.verify(forever, key).sub, "a")
  equal(jose.verify(today, key, { exp = true }).sub, "a")
  equal(support.failure(jose.verify, forever, key, { exp = true }).code, "missing_claim")
  equal(support.failure(jose.verify, past, key, { exp = true }).code, "token_expired")
  equal(support.failure(jose.verify, jose.sign("no claims", key), key, { exp = true }).code, "malformed_token")
end
