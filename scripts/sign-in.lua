-- Signs in a user, and prints the account, the expiry of its token, and the folder of the account store.

local b2c = require "b2c"
local accounts, term = b2c.accounts, b2c.term

local options = term.options {
  summary = "Signs in a user, and prints the account, the expiry of its token, and the folder of the account store.",
  options = {
    { "--policy POLICY", "a policy, or its name in settings.policies; signIn if not given" },
    { "--flow FLOW", "the sign-in flow", choices = accounts.flows, default = "authorization_code" },
    { "--agent AGENT", "the agent, which takes the user to the sign-in page", choices = b2c.browser.agents },
    { "--scopes SCOPES", "the requested scopes, in quotes and separated by spaces; the scopes of the settings if not given" },
    { "--account-type TYPE", "your own name for the kind of account" },
    { "--login-hint NAME", "the user name for the sign-in page" },
    { "--password-secret NAME", "take the password from the secret NAME of b2c-run secrets, and ask nothing" },
    { "--prompt PROMPT", "the prompt of the sign-in page", choices = { "none", "login", "consent", "select_account" } },
  },
  notes = "With the flow password or the agent headless, the command asks for the user name and the password.",
}

--- The answer to a question. Without a terminal, the error says `what` the command asks for, and gives the hint.
local function asked(question, text, what, hint)
  local ok, answer = pcall(question, text)
  if ok then return answer end
  local problem = answer --[[@as b2c.error]]
  if problem.code ~= "no_terminal" then error(problem, 0) end
  error({ code = problem.code, message = "sign-in: there is no terminal to ask for the " .. what, hint = hint }, 0)
end

local username, password
if options.flow == "password" or options.agent == "headless" then
  local hint = "give --login-hint NAME and --password-secret NAME, a secret of b2c-run secrets; or use --agent terminal"
  username = options.login_hint or asked(term.prompt, "User name", "user name", hint)
  password = options.password_secret and b2c.secrets.get(options.password_secret)
    or asked(term.password, "Password of " .. username, "password of " .. username, hint)
end

-- Azure AD B2C's older policies respond to "Forgot your password?" with an error: the program must open another policy.
accounts.on_failed(function(failure)
  if failure.error.code == "AADB2C90118" and (b2c.settings.policies or {}).reset then
    b2c.log.info "the password was forgotten; going on at the policy for resetting it"
    return { policy = "reset" }
  end
end)

local account = accounts.sign_in {
  policy = options.policy,
  flow = options.flow,
  agent = options.agent,
  scopes = options.scopes,
  account_type = options.account_type,
  login_hint = options.login_hint,
  prompt = options.prompt,
  username = username,
  password = password,
  otp = function()
    return asked(term.prompt, "One-time code", "one-time code", "the policy asks for a code: run the command on a terminal")
  end,
}

local vault = accounts.vault()
local place = vault.store .. ", sealed with " .. vault.place
if vault.kind == "memory" then place = "memory, and gone when this command ends; --store FOLDER keeps it" end

local expires = account.expires_at and term.when(account.expires_at) or "not known"
if account:can_refresh() then expires = expires .. ", then refreshed" end

term.table {
  { "signed in", account.name },
  { "type", account.account_type },
  { "policy", account.policy or "none" },
  { "scopes", table.concat(account.scopes, " ") },
  { "expires", expires },
  { "kept in", place },
}
