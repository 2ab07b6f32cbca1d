-- Reads the provider's metadata (RFC 8414, OpenID Connect Discovery): its offers, what uses them, and what would fail.

local b2c = require "b2c"
local accounts, oauth, settings = b2c.accounts, b2c.oauth, b2c.settings

--- Returns true if accounts.sign_in knows the option. The wrong value ends the call before a sign-in begins.
local function has_option(name)
  local _, problem = pcall(accounts.sign_in --[[@as function]], { [name] = print })
  return problem.code ~= "unknown_option"
end

local function has(list, word)
  for _, each in ipairs(type(list) == "table" and list or {}) do
    if each == word then return true end
  end
  return false
end

--- Returns the values of a list, or a single value, as text. A provider may send anything.
local function words(list)
  local texts = {}
  for i, value in ipairs(type(list) == "table" and list or { list }) do texts[i] = tostring(value) end
  return table.concat(texts, ", ")
end

local function grant(name)
  return function(metadata) return has(metadata.grant_types_supported, name) end
end

-- Each offer: its name, the member of the metadata (or a function) that shows it, and the option or function that uses it.
local offers = {
  { "pushed authorization requests (RFC 9126)", "pushed_authorization_request_endpoint", option = "par", value = "true" },
  { "signed request objects (RFC 9101)", function(metadata)
    return metadata.request_parameter_supported == true and (metadata.request_object_signing_alg_values_supported or true)
  end, option = "request_object", value = "true" },
  { "signed authorization responses (JARM)", "authorization_signing_alg_values_supported",
    use = 'accounts.sign_in { response_mode = "jwt" }' },
  { "authorization details (RFC 9396)", "authorization_details_types_supported", option = "authorization_details", value = "{ … }" },
  { "DPoP proofs (RFC 9449)", "dpop_signing_alg_values_supported", option = "dpop", value = "true" },
  { "tokens bound to certificates (RFC 8705)", function(metadata)
    return metadata.tls_client_certificate_bound_access_tokens == true
  end, use = "the settings clientCertificate and clientCertificateKey" },
  { "device authorization (RFC 8628)", "device_authorization_endpoint", use = 'accounts.sign_in { flow = "device_code" }' },
  { "backchannel authentication (CIBA)", "backchannel_authentication_endpoint", call = "backchannel" },
  { "token exchange (RFC 8693)", grant "urn:ietf:params:oauth:grant-type:token-exchange", call = "exchange" },
  { "token introspection (RFC 7662)", "introspection_endpoint", call = "introspect" },
  { "client registration (RFC 7591)", "registration_endpoint", call = "register" },
  { "userinfo (OpenID Connect)", "userinfo_endpoint", call = "userinfo" },
}

--- Returns what uses the offer in this program; nil without anything.
local function use_of(offer)
  if offer.option and has_option(offer.option) then return ("accounts.sign_in { %s = %s }"):format(offer.option, offer.value) end
  if offer.call and oauth[offer.call] then return "oauth." .. offer.call end
  return offer.use
end

--- Calls `report(status, message, hint)` for everything that the metadata offer, and for what would fail.
return function(metadata, report)
  for _, offer in ipairs(offers) do
    local name, member = offer[1], offer[2]
    local found
    if type(member) == "function" then found = member(metadata) else found = metadata[member] end
    if found and found ~= b2c.json.null then
      local values = type(found) == "table" and #found > 0 and ": " .. words(found) or ""
      report("ok", name .. values, use_of(offer))
    end
  end

  local function warn(message, hint) report("warning", message, hint) end

  if metadata.require_signed_request_object == true then
    warn("the provider refuses authorization requests that are not signed",
      has_option "request_object" and "accounts.sign_in { request_object = true }" or "register another application, or none")
  end
  local methods = metadata.code_challenge_methods_supported
  if methods and not has(methods, "S256") then
    warn("the provider does not list the PKCE method S256, which the stock flows use: " .. words(methods),
      "examples/flows/pkce_methods.lua has a flow with another method")
  end
  local types = metadata.response_types_supported
  if types and not has(types, "code") then
    warn("the provider does not list the response type code: the flow authorization_code would fail", nil)
  end
  local grants = metadata.grant_types_supported
  if grants and not has(grants, "authorization_code") then
    warn("the provider does not list the grant authorization_code: " .. words(grants), "use a flow of another grant")
  end
  if grants and not has(grants, "refresh_token") and has(settings.scopes, "offline_access") then
    warn("the provider does not list the grant refresh_token: people sign in again when the access token expires", nil)
  end
  local known = metadata.token_endpoint_auth_methods_supported
  local mine = settings.clientAuthentication
  if known and mine and not has(known, mine) then
    warn(("the setting clientAuthentication is %s, and the provider lists %s"):format(mine, words(known)),
      "use one of these")
  elseif known and not mine and settings.clientSecret
    and not has(known, "client_secret_basic") and not has(known, "client_secret_post") then
    warn("the provider takes no client secret: it lists " .. words(known), "choose one by clientAuthentication")
  end
  -- RFC 8705, section 5: an alias may lead to another host.
  local aliases = metadata.mtls_endpoint_aliases
  for name, address in pairs(type(aliases) == "table" and aliases or {}) do
    if not tostring(address):find "^https://" then
      warn(("the alias for client certificates of %s is not an https address: %s"):format(name, tostring(address)), nil)
    elseif tostring(address):match "^https://[^/]+" ~= metadata.issuer:match "^https://[^/]+" then
      report("ok", ("%s for clients with a certificate is at %s"):format(name, tostring(address)),
        "a run that may not connect everywhere needs --allow-net for this host")
    end
  end
end
