-- Checks everything that a sign-in needs, and suggests corrections.

local b2c = require "b2c"
local report_offers = require "doctor.offers"
local accounts, browser, oauth, settings, term = b2c.accounts, b2c.browser, b2c.oauth, b2c.settings, b2c.term

local options = term.options {
  summary = "Checks everything that a sign-in needs, and suggests corrections.",
  options = { { "--json", "print the results as JSON, for programs" } },
}

-- The display of each outcome: its mark, its word without UTF-8, and its color.
local looks = {
  ok = { mark = "✓", word = "ok     ", color = "green" }, warning = { mark = "!", word = "warning", color = "yellow" },
  failed = { mark = "✗", word = "FAILED ", color = "red" }, skipped = { mark = "–", word = "skipped", color = "dim" },
}
local locale = os.getenv "LC_ALL" or os.getenv "LC_CTYPE" or os.getenv "LANG" or ""
local is_utf8 = locale:lower():find "utf%-?8" ~= nil
local is_colored = term.is_tty() and (os.getenv "NO_COLOR" or "") == ""

local results, failures = b2c.json.array {}, 0

--- Returns a text that is safe to show on a line of the terminal: settings and providers contain foreign texts.
local function plain(text) return term.fit(text, term.width(text)) end

local function report(name, status, message, hint)
  results[#results + 1] = { name = name, status = status, message = message, hint = hint }
  if status == "failed" then failures = failures + 1 end
  if options.json then return end
  local look = looks[status]
  local mark = is_utf8 and look.mark or look.word
  local margin = (" "):rep(utf8.len(mark) + 14)
  if is_colored then mark = term.style(mark, look.color) end
  print(("%s %-12s %s"):format(mark, name, plain(message)))
  if hint then print(("%s%s %s"):format(margin, is_utf8 and "→" or "->", plain(hint))) end
end

local function fail(message, hint, code) error({ code = code, message = message, hint = hint }, 0) end

--- Runs one check: f returns its finding or raises an error. Returns true if a sign-in can pass this check.
local function check(name, f, ...)
  local ok, found = pcall(f, ...)
  if ok then
    report(name, "ok", found)
    return true
  end
  local is_warning = found.code == "warning"
  report(name, is_warning and "warning" or "failed", found.message or found, found.hint)
  return is_warning
end

local function skip(why, ...)
  for _, name in ipairs { ... } do report(name, "skipped", why) end
end

local function check_settings()
  local ok, problem = pcall(function() return settings.clientID end)
  if not ok and problem.code == "settings_not_found" then
    fail(problem.message, problem.hint .. "; b2c-run tenant > settings.plist serves one that goes with it")
  elseif not ok then
    error(problem, 0)
  end
  for _, slip in ipairs(settings.misspelled()) do report("settings", "warning", slip.message, slip.hint) end
  local missing = {}
  if not settings.clientID then missing[#missing + 1] = "clientID" end
  if not settings.redirectURL then missing[#missing + 1] = "redirectURL (or bhh)" end
  if not (settings.authority or settings.authURL) then missing[#missing + 1] = "authority (or authURL)" end
  if #missing > 0 then
    fail(("%s: %s is missing"):format(settings, table.concat(missing, ", ")), "add it to the settings")
  end
  return tostring(settings)
end

local function check_redirect()
  local url = assert(settings.redirectURL)
  local problem = browser.redirect_problem(url)
  if not problem then return url .. ": the browser comes back to this machine (agent system)" end
  if problem.code ~= "invalid_redirect_uri" then error(problem, 0) end
  local pasted = url:find "^urn:" and "the code that the browser shows" or "the last URL of the browser"
  return ("%s: you paste %s (agent terminal)"):format(url, pasted)
end

local function check_browser()
  local problem = browser.problem()
  if problem then fail(problem.message, problem.hint, "warning") end
  return "can be opened (agent system)"
end

--- Checks the agents. A missing agent is only a warning, because another agent can do its work.
local function check_agents()
  local problem = browser.problem "terminal"
  if problem then report("terminal", "warning", problem.message, problem.hint) end
  problem = browser.problem "webview"
  if problem then
    report("webview", "skipped", problem.message, problem.hint)
  else
    report("webview", "ok", "a window can be opened (agent webview)")
  end
end

local function check_scopes()
  local scopes = settings.scopes
  oauth.check_scopes(scopes)
  local list = table.concat(scopes, " ")
  if not (" " .. list .. " "):find(" offline_access ", 1, true) then
    fail(list .. " bring no refresh token: people sign in again when the access token expires",
      "add offline_access to scopes in the settings", "warning")
  end
  return list .. " bring an access token and a refresh token"
end

-- The errors at the redirect URI with which every sign-in with these settings would end.
local final = {
  unauthorized_client = true, invalid_client = true, invalid_scope = true, unsupported_response_type = true,
  invalid_request = true, invalid_target = true,
}

local function authorize_url(prompt)
  return oauth.authorize_url {
    prompt = prompt, state = oauth.random(), nonce = oauth.random(), pkce = oauth.pkce(),
  }
end

--- Returns true if the provider responds to a sign-in with a page; otherwise also the provider's error.
local function shows_page()
  local is_shown = false
  local ok, problem = pcall(browser.open, authorize_url(), {
    agent = "headless", timeout = 20,
    on_page = function(page)
      is_shown = page.status < 400
      error({ code = "seen", message = "a page" }, 0)
    end,
  })
  return is_shown or ok, problem
end

--- Returns true if the provider refuses every sign-in, not just this probe, according to an error of the browser.
local function is_refusal(problem)
  return problem.details ~= nil and problem.details.aadb2c_code ~= nil or problem.code == "permission_denied"
end

--- Requests a sign-in without a page. A refusal at the redirect URI shows that the provider knows the application and the
--- URI. Some providers do not support this request: then the page of a sign-in is enough, with a warning.
local function check_client()
  local known = ("the provider knows %s and its redirect URI"):format(settings.clientID)
  local opened, redirect = pcall(browser.open, authorize_url "none", { agent = "headless", timeout = 20 })
  if opened then
    local ok, problem = pcall(oauth.redirect, redirect)
    local code = not ok and (problem.details.error or problem.code) or ""
    if ok or code:find "_required$" then return known end
    if final[code] or not problem.details.error then error(problem, 0) end
    fail(("%s; without a page it answers %s"):format(known, problem.message), problem.hint, "warning")
  end
  if is_refusal(redirect) then error(redirect, 0) end
  local is_shown, problem = shows_page()
  if is_shown then
    fail(("the provider shows its sign-in page; whether it knows %s cannot be asked without one: %s"):format(
      settings.clientID, redirect.message), "sign in to find out", "warning")
  end
  local status = problem.status or 0
  fail(problem.message, problem.hint, not is_refusal(problem) and (status < 400 or status >= 500) and "warning" or nil)
end

--- Names a user that nobody has: the answer shows whether the application may use native authentication.
local function check_native()
  local ok, problem = pcall(oauth.native, { endpoint = "initiate", username = "nobody@doctor.invalid" })
  if ok or problem.code == "user_not_found" then return "the application may use native authentication (flow native)" end
  if problem.code == "redirect" then return "the provider wants a browser: " .. problem.message end
  fail(problem.message, problem.hint, "warning")
end

local function check_clock()
  local difference = oauth.clock_difference()
  if not difference then return "the provider does not tell the time" end
  local amount = math.abs(difference)
  if amount > 60 then
    local words = term.when(amount, 0):gsub("^in ", "") .. (difference < 0 and " behind" or " ahead of")
    fail("this machine's clock is " .. words .. " the provider's", "set it right, for example with systemd-timesyncd",
      amount < 300 and "warning" or nil)
  end
  return "agrees with the provider's"
end

local function check_tasks()
  if not settings.taskAPI then
    fail("taskAPI is missing, without which b2c.tasks does nothing", "add it to the settings", "warning")
  end
  local url = settings.taskAPI:gsub("/+$", "") .. settings.tasksPath
  local answer = b2c.http.get(url, { raise = false, timeout = 10 })
  local account = accounts.current()
  if answer.status == 200 and account then return ("%s takes the token of %s"):format(url, account.name) end
  if answer.status == 200 or answer.status == 401 and not account then return url .. " answers" end
  fail(("%s answered %d"):format(url, answer.status), answer.status == 401 and
    "ask for a scope of this API, or for the client ID as a scope" or "see taskAPI and tasksPath in the settings")
end

check("browser", check_browser)
check_agents()
if not check("settings", check_settings) then
  skip("without settings", "redirect", "scopes", "metadata", "store", "task API")
else
  check("redirect", check_redirect)
  check("scopes", check_scopes)

  local ok, metadata = pcall(oauth.metadata)
  local is_reached = check("metadata", function()
    if not ok then error(metadata, 0) end
    return "issuer " .. metadata.issuer
  end)
  if is_reached then
    local is_secure = (metadata.token_endpoint or metadata.issuer):find "^https:"
    report("TLS", "ok", is_secure and "the provider's certificate is trusted" or "not needed on this machine")
    check("clock", check_clock)
    check("application", check_client)
    report_offers(metadata, function(...) report("offers", ...) end)
    if settings.kind == "external_id" and not settings.clientSecret then check("native", check_native) end
  else
    skip("the provider is not reached", "TLS", "clock", "application", "offers")
  end

  local names = {}
  -- A response, even for one policy only, means that the other policies can be checked.
  if is_reached or metadata.status then
    for name in pairs(settings.policies or {}) do names[#names + 1] = name end
  else
    skip("the provider is not reached", "policy")
  end
  table.sort(names)
  local found = b2c.async.map(names, function(name) return { pcall(oauth.metadata, name) } end)
  for i, name in ipairs(names) do
    check("policy", function()
      local problem = found[i][2]
      if not found[i][1] then
        fail(("%s is %s: %s"):format(name, settings.policies[name], problem.message), problem.hint, problem.code)
      end
      return ("%s is %s"):format(name, settings.policies[name])
    end)
  end

  if check("store", function() return ("%s, accounts: %d"):format(accounts.vault().store, #accounts.all()) end) then
    check("vault", function()
      local vault = accounts.vault()
      if vault.problem then error(vault.problem, 0) end
      return vault.place
    end)
  end
  check("task API", check_tasks)
end

if options.json then print(b2c.json.encode(results, { pretty = true })) end
if failures > 0 then fail(("%d of %d checks failed"):format(failures, #results), nil, "checks_failed") end
