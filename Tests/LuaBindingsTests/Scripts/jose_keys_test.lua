-- Keys from PEM texts and files.

local b2c = require "b2c"
local jose = b2c.jose
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

-- Written by openssl: ecparam -genkey, pkcs8 -topk8, req -x509.
local sec1 = [[
-----BEGIN EC PARAMETERS-----
BggqhkjOPQMBBw==
-----END EC PARAMETERS-----
-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIOs9mhLz/Ge4OB6AeWOkZiNipBAZJVV3xkwQTthnDoq6oAoGCCqGSM49
AwEHoUQDQgAE44U/BGhBbFtyFBdCawQCFaq+g/mR3yRjmu6ud0Qi2CkikykzuWfY
m2vRxEkAYzkt1/lSSvI/gpqdBUnd78KJ3Q==
-----END EC PRIVATE KEY-----
]]
local encrypted = [[
-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAh2oy9BOuoY+wICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEE92rKXFf+ILx/gHj86f36UEgZCk
2vJuVeMGKVqvQQ5NLEKirEa6kwDlDjnUi88Y+Mn50e8Mi5oXqaAYj1AOuo1/oJA2
C3lnm6USjg/vPT+jAPojQk2udGblU8U1rFGwpWj4omwNYAcZNac/3kbVotXG5o0m
1ftn6g8fFDo/uNAOeKI5S55WHjqtqNGnO0mo7YEfI2bCTolQwnC6R82Ka3vYe6U=
-----END ENCRYPTED PRIVATE KEY-----
]]
local certificate = [[
-----BEGIN CERTIFICATE-----
MIIBdzCCAR2gAwIBAgIUMseEBchwr1nYNgbldO/1s2Tx1FAwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGY2xpZW50MB4XDTI2MTEyMzAzNDU0NloXDTI2MTIyMzAzNDU0
NlowETEPMA0GA1UEAwwGY2xpZW50MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
44U/BGhBbFtyFBdCawQCFaq+g/mR3yRjmu6ud0Qi2CkikykzuWfYm2vRxEkAYzkt
1/lSSvI/gpqdBUnd78KJ3aNTMFEwHQYDVR0OBBYEFNQDZH66x4p7BgufKxzim3Ey
pdRCMB8GA1UdIwQYMBaAFNQDZH66x4p7BgufKxzim3EypdRCMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgUdBo+WF5IiR+S+vMNM9WbQYeaC2WpMYj
COjspU7gy6kCIQCcmRa0sobpQ5O+YGSVs3xZIt6MqYp/vQ99FHv+vXgmwA==
-----END CERTIFICATE-----
]]

local key = jose.key.load(sec1)
equal(jose.key.load(encrypted, { passphrase = "Wonderland-1" }).kid, key.kid)
equal(jose.key.thumbprint(certificate), key.kid)
equal(jose.key.public(certificate).crv, "P-256")
equal(jose.key.load(sec1, { kid = "mine" }).kid, "mine")
equal(jose.verify(jose.sign({ sub = "a" }, key), certificate).sub, "a")

-- A file, with PEM or a JSON Web Key
do
  local file <close> = support.file(sec1, ".pem")
  equal(jose.key.load({ file = file.path }).kid, key.kid)
  local jwk <close> = support.file(b2c.json.encode(jose.key.public(key)), ".jwk")
  equal(jose.key.thumbprint({ file = jwk.path }), key.kid)
  equal(message(jose.key.load, { file = jwk.path }),
    ('jose.key.load: the key in %s is a public key: it has no member "d"'):format(jwk.path))
  equal(failure(jose.key.load, { file = file.path .. "x" }).code, "file_unreadable")
end

-- Texts that are no private key
for text, problem in pairs {
  [certificate] = " is a certificate; a private key is needed",
  [encrypted] = " is encrypted, and there is no passphrase",
  ["hello"] = ' is no PEM text: no line begins with "-----BEGIN"',
} do
  local e = failure(jose.key.load, text)
  equal(e.code, "invalid_key")
  equal(e.message, "jose.key.load: the key" .. problem)
end
-- A path is no key.
for path, hint in pairs { ["keys/mine.jwk"] = "keys/mine.jwk", ["mine"] = "…" } do
  for _, f in ipairs { jose.key.load, jose.key.public, function(k) return jose.verify("a.b.c", k) end } do
    equal(failure(f, path).hint, ('for a file, write { file = "%s" }; else give a key in PEM or as a JSON Web Key'):format(hint))
  end
end
local wrong = failure(jose.key.load, encrypted, { passphrase = "guess" })
equal(wrong.message, "jose.key.load: the key cannot be decrypted with the passphrase")
assert(not tostring(wrong.traceback):find("guess", 1, true))
assert(message(jose.key.load, "{"):find("^jose.key.load: the key is no JSON Web Key: "))
equal(message(jose.key.load, { kty = "EC" }),
  'jose.key.load: the key: a JSON Web Key of type EC needs the member "crv", a string')
