-- Describes the access token of an account: scopes, expiry and claims; or prints the token.

local b2c = require "b2c"
local accounts, json, oauth, tenant, term = b2c.accounts, b2c.json, b2c.oauth, b2c.tenant, b2c.term

local options = term.options {
  summary = "Describes the access token of an account: scopes, expiry and claims; or prints the token.",
  positions = { { "[NAME]", "the account; the current account if not given" } },
  options = {
    { "--reveal", "print only the token" },
    { "--refresh", "get a new access token first" },
  },
  notes = 'Use the token in another program: curl -H "Authorization: Bearer $(b2c-run token --reveal)" https://…',
}

-- The local tenant has a user who can sign in; otherwise a user must be signed in.
local account = tenant.is_running() and not options[1] and tenant.sign_in() or accounts.get(options[1])
local token = options.refresh and account:refresh() or account:token()
local kind = account:token_type()
if options.reveal then
  if kind == "DPoP" then b2c.log.warn "this token is bound to a key, and no other program can use it" end
  return print(token:reveal())
end

local times = { exp = true, iat = true, nbf = true, auth_time = true }
local rows = {
  { "account", account.name },
  { "scopes", table.concat(account.scopes, " ") },
  { "type", kind == "DPoP" and "DPoP: bound to a key, which stays in the account store; no other program can use it" or kind },
  { "expires", account.expires_at and term.when(account.expires_at) or "not known" },
}
local isJWT, _, claims = pcall(oauth.decode, token)
if isJWT then
  local names = {}
  for name in pairs(claims) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local value = claims[name]
    local text = type(value) == "string" and value or json.encode(value)
    if times[name] and type(value) == "number" then text = ("%s (%s)"):format(text, term.when(value)) end
    rows[#rows + 1] = { "  " .. name, text }
  end
else
  rows[#rows + 1] = { "claims", "none to read: the provider's tokens are its own secret" }
end
term.table(rows)
b2c.log.info "the token itself: b2c-run token --reveal"
