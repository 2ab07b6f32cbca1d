-- Signs out accounts: removes them and their tokens from the store.

local b2c = require "b2c"
local accounts, term = b2c.accounts, b2c.term

local options = term.options {
  summary = "Signs out accounts: removes them and their tokens from the store.",
  positions = { { "[NAME]", "the account; if not given and there are several, the command asks on a terminal" } },
  options = {
    { "--everywhere", "also end the session at the provider" },
    { "--all", "sign out all accounts" },
  },
}

local function label(account)
  return account.policy and ("%s (%s)"):format(account.name, account.policy) or account.name
end

--- Lets the user at the terminal pick an account; without a terminal, raises an error that names the accounts.
local function choose(all)
  local labels = {}
  for i, account in ipairs(all) do labels[i] = label(account) end
  local question = { "Several accounts are signed in:" }
  for i, name in ipairs(labels) do question[i + 1] = ("  %d  %s"):format(i, name) end
  question[#question + 1] = "Which one?"
  local ok, answer = pcall(term.prompt, table.concat(question, "\n"))
  if not ok and (answer --[[@as b2c.error]]).code ~= "no_terminal" then error(answer) end
  if not ok then
    error {
      code = "usage",
      message = "sign-out: several accounts are signed in: " .. table.concat(labels, ", "),
      hint = "name one of them, by its ID (b2c-run accounts --json) where names are the same, or give --all",
    }
  end
  return all[math.tointeger(tonumber(answer))] or accounts.get(answer --[[@as string]])
end

local all = accounts.all()
if #all == 0 then
  -- Raises the error about a name that is nobody's.
  if options[1] then accounts.get(options[1]) end
  return b2c.log.info "nobody is signed in"
end
if not options.all then
  -- A user who signed in by several policies has several accounts with one name.
  local meant = {}
  for _, account in ipairs(all) do
    if not options[1] or account.name == options[1] then meant[#meant + 1] = account end
  end
  if #meant == 0 then meant[1] = accounts.get(options[1]) end
  all = { #meant == 1 and meant[1] or choose(meant) }
end

for _, account in ipairs(all) do
  local name = label(account)
  local is_over = accounts.sign_out(account, { everywhere = options.everywhere })
  local where = ""
  if is_over then where = ", at the provider too" end
  if is_over == false then where = "; the session at the provider may continue: look at its page in a browser" end
  print("signed out  " .. term.fit(name, term.width(name)) .. where)
end
