-- Lists the accounts, selects the current account, and moves the key that encrypts the tokens.

local b2c = require "b2c"
local accounts, json, tenant, term = b2c.accounts, b2c.json, b2c.tenant, b2c.term

local options = term.options {
  summary = "Lists the accounts, selects the current account, and moves the key that encrypts the tokens.",
  usage = { "[--json]", "use NAME", "--vault KIND" },
  positions = {
    { "[use]", "make an account the current account, which scripts use", choices = { "use" } },
    { "[NAME]", "the name, the user name or the ID of the account" },
  },
  options = {
    { "--json", "print all data as JSON, for programs" },
    { "--vault KIND", "move the key to this vault", choices = { "key_file", "secret_service" } },
  },
}

--- The account with a name. Raises an error if several accounts have the name.
local function named(name)
  local labels = {}
  for _, account in ipairs(accounts.all()) do
    if account.name == name then
      labels[#labels + 1] = account.policy and ("%s (%s)"):format(account.id, account.policy) or account.id
    end
  end
  if #labels < 2 then return accounts.get(name) end
  error {
    code = "usage",
    message = ("accounts: several accounts have the name '%s': %s"):format(name, table.concat(labels, ", ")),
    hint = "give the ID of one of them: b2c-run accounts use ID",
  }
end

local function expiry(account, refreshable)
  local time = account.expires_at
  if not time then return "not known" end
  if time > os.time() then return term.when(time) end
  return ("expired %s, %s"):format(term.when(time), refreshable and "refreshable" or "sign in again")
end

if options[1] == "use" and not options[2] then
  error { code = "usage", message = "accounts: expected a NAME after use" }
elseif options[1] then
  accounts.use(named(options[2]))
end
if options.vault then accounts.move_vault(options.vault) end

local vault = accounts.vault()
local current = accounts.current()
local rows, list = {}, json.array {}
for i, account in ipairs(accounts.all()) do
  -- An account whose tokens cannot be opened now cannot be refreshed either.
  local opens, refreshable = pcall(account.can_refresh, account)
  refreshable = opens and refreshable
  list[i] = {
    id = account.id, name = account.name, proven = account.proven, policy = account.policy,
    account_type = account.account_type, scopes = json.array(account.scopes), expires_at = account.expires_at,
    refreshable = refreshable, current = account == current, vault = vault.kind,
  }
  rows[i] = {
    [""] = account == current and "*" or "", name = account.name .. (account.proven and "" or " (given)"),
    policy = account.policy, type = account.account_type, expires = expiry(account, refreshable), vault = vault.kind,
  }
end

if options.json then
  print(json.encode(list, { pretty = true }))
elseif #rows == 0 and tenant.is_running() then
  b2c.log.info "nobody is signed in; b2c-run --local=FILE --store FOLDER sign-in keeps an account of the local tenant"
elseif #rows == 0 then
  local _, nobody = pcall(accounts.get)
  local problem = nobody --[[@as b2c.error]]
  b2c.log.info(("%s; %s"):format(problem.message, problem.hint))
else
  term.table(rows, { columns = { "", "name", "policy", "type", "expires", "vault" } })
end
if vault.problem then error(vault.problem) end
