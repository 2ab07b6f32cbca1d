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
    { "--mcp URL", "sign in for this MCP server, at the authorization server that it names; settings are not needed" },
    { "--private-network", "with --mcp, documents may come from private addresses, such as those of a company" },
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

-- The headless agent fills in the pages of these flows; the flow native asks for what is missing by itself.
local fills_pages = options.agent == "headless" and (options.flow == "authorization_code" or options.flow == "device_code")
-- With these agents a person fills in the pages.
local personal_agents = { system = true, terminal = true, webview = true }
local username, password, otp, refresh_token
if options.flow == "password" or fills_pages then
  local hint = "give --login-hint NAME and --password-secret NAME, a secret of b2c-run secrets; or use --agent terminal"
  username = options.login_hint or asked(term.prompt, "User name", "user name", hint)
  password = options.password_secret and b2c.secrets.get(options.password_secret)
    or asked(term.password, "Password of " .. username, "password of " .. username, hint)
elseif options.password_secret then
  -- A flow or an agent that takes no password refuses it, whatever the secret is.
  local takes_it = options.flow == "native" or options.agent and not personal_agents[options.agent]
  password = takes_it and b2c.secrets.get(options.password_secret) or "none"
end
if fills_pages then
  function otp()
    return asked(term.prompt, "One-time code", "one-time code", "the policy asks for a code: run the command on a terminal")
  end
end
if options.flow == "refresh" then
  refresh_token = asked(term.password, "Refresh token", "refresh token", "run the command on a terminal")
end

-- Azure AD B2C's older policies respond to "Forgot your password?" with an error: the program must open another policy.
accounts.on_failed(function(failure)
  if failure.error.code == "AADB2C90118" and (b2c.settings.policies or {}).reset then
    b2c.log.info "the password was forgotten; continuing at the policy for resetting it"
    return { policy = "reset" }
  end
end)

-- The account for a server is of no use for tasks.
local earlier = options.mcp and accounts.current()
local ok, account = pcall(accounts.sign_in, {
  policy = options.policy,
  flow = options.flow,
  agent = options.agent,
  scopes = options.scopes,
  account_type = options.account_type,
  login_hint = (not username or options.flow == "authorization_code") and options.login_hint or nil,
  prompt = options.prompt,
  mcp = options.mcp,
  private_network = options.private_network or nil,
  username = username,
  password = password,
  otp = otp,
  refresh_token = refresh_token,
})
if not ok then
  local problem = account --[[@as b2c.error]]
  local details = problem.details or {}
  local kind = details.flow and "flow" or "agent"
  -- An option that does nothing is named as it was typed.
  local typed = { login_hint = "--login-hint", password = "--password-secret", prompt = "--prompt" }
  if not typed[problem.option] or not details[kind] then error(problem, 0) end
  error({
    code = "usage",
    message = ("sign-in: %s has no effect with --%s %s"):format(typed[problem.option], kind, details[kind]),
    hint = problem.hint,
  }, 0)
end

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
if earlier and earlier ~= account then
  b2c.log.warn(("the current account is this one now; b2c-run accounts use %s selects %s again"):format(earlier.id, earlier.name))
end
