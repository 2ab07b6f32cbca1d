extension SecrecyFlowTests {
  /// Signs in by every flow, goes wrong in every way, and shows all there is to be seen of every value.
  static let script = #"""
    local b2c = require "b2c"
    local accounts, async, json, log, oauth, settings, term =
      b2c.accounts, b2c.async, b2c.json, b2c.log, b2c.oauth, b2c.settings, b2c.term
    local wrong_password, wrong_code, wrong_secret = b2c.args[2], b2c.args[3], b2c.args[4]

    -- What must not be found anywhere goes into a file that is not searched.
    local noted <close> = assert(io.open(b2c.args[1], "w"))
    local function note(secret)
      if secret then noted:write(type(secret) == "string" and secret or secret:reveal(), "\0") end
      return secret
    end

    local function show(...)
      for _, value in ipairs { ... } do
        print(value, ("%s"):format(tostring(value)), pcall(json.encode, value))
        log.debug(tostring(value), { value = value })
        print(pcall(term.table, { { "value", value } }))
        if type(value) == "table" then for key, member in pairs(value) do print(key, member) end end
      end
    end

    local function fails(f, ...)
      local ok, e = pcall(f, ...)
      assert(not ok, "expected an error")
      show(e, e.details)
      log.error(tostring(e), { code = e.code, hint = e.hint, trace = e.traceback, error = e })
      return e
    end

    -- As the stock flow does it, with everything noted.
    local tokens
    local function flow(ctx)
      local pkce = oauth.pkce()
      note(pkce.verifier)
      local url = oauth.authorize_url {
        policy = ctx.policy, redirect_uri = ctx.redirect_uri, pkce = pkce, scopes = ctx.options.scopes,
        nonce = oauth.random(),
      }
      show(ctx, ctx.options, ctx.agent)
      local redirect = b2c.browser.open(url, { agent = ctx.agent })
      local answer = oauth.redirect(redirect)
      note(answer.code)
      log.debug("came back " .. redirect, { redirect = redirect, answer = json.encode(answer) })
      tokens = oauth.token {
        grant_type = "authorization_code", policy = ctx.policy, code = answer.code, redirect_uri = ctx.redirect_uri,
        code_verifier = pkce.verifier,
      }
      note(tokens.access_token)
      note(tokens.refresh_token)
      note(tokens.id_token)
      show(tokens)
      return tokens
    end

    accounts.on_failed(function(failure) show(failure, failure.error, failure.error.details) end)
    accounts.on_changed(function(change) show(change, change.account, change.account.claims) end)
    local function sign_in(options)
      local all = { agent = "headless", username = "alice", password = "Wonderland-1" }
      for name, value in pairs(options) do all[name] = value end
      return accounts.sign_in(all)
    end
    local scope = "https://contoso.onmicrosoft.com/tasks/.default"

    local signed_in = {
      sign_in { session = "one" },
      sign_in {
        username = "bob", password = "Skyscraper-2", account_type = "bob",
        on_page = function(page) show(page, page.title, page.url) end,
        on_navigate = function(url, kind) show(url, kind) end,
      },
      sign_in { flow = "device_code", account_type = "device" },
      sign_in { flow = "password", account_type = "password" },
      accounts.sign_in { flow = "client_credentials", scopes = { scope }, account_type = "application" },
      accounts.sign_in { flow = "silent", agent = "headless", session = "one", account_type = "silent" },
      sign_in { flow = flow, account_type = "own" },
    }
    -- One refresh token, two accounts: the one renews it, and to the other it is lost.
    local lost = signed_in[#signed_in]
    local moved = { flow = "refresh", refresh_token = tokens.refresh_token, account_type = "moved" }
    table.insert(signed_in, accounts.sign_in(moved))
    for _, account in ipairs(signed_in) do
      local token = note(account:token())
      show(account, account.claims, account.data, token, note(account:id_token()))
      fails(account.request, account, { url = settings.taskAPI .. "/nowhere?token=" .. token:reveal() })
      if account ~= lost then note(account:refresh()) end
    end
    fails(lost.refresh, lost)

    fails(sign_in, { password = wrong_password })
    fails(sign_in, { flow = "password", password = wrong_password })
    fails(sign_in, { flow = "password", username = wrong_password .. "x", password = wrong_password })
    fails(sign_in, { policy = "mfa", otp = wrong_code })
    fails(sign_in, { policy = "mfa", otp = function() return wrong_code end })
    local other = settings.with { clientSecret = wrong_secret }
    fails(accounts.sign_in, { flow = "client_credentials", scopes = { scope }, settings = other })
    fails(sign_in, { settings = other })
    fails(oauth.token, { grant_type = "refresh_token", refresh_token = wrong_password })
    fails(oauth.token, { grant_type = "authorization_code", code = wrong_password, code_verifier = wrong_password })
    fails(oauth.redirect, "urn:ietf:wg:oauth:2.0:oob?code=" .. tokens.access_token:reveal(), { state = "x" })
    fails(settings.with, { taskAPI = tokens.access_token:reveal() })
    fails(b2c.http.get, settings.taskAPI .. "/" .. tokens.refresh_token:reveal())
    show(settings, other, settings.clientSecret, other.clientSecret, accounts.all(), accounts.current(), tokens, b2c)
    local seen = {}
    for _, account in ipairs(signed_in) do seen[account.account_type] = true end
    for _, kind in ipairs { "bob", "device", "password", "application", "silent", "moved" } do assert(seen[kind], kind) end
    print("all flows were there")
    coroutine.wrap(function()
      error("at last " .. tokens.access_token:reveal() .. " " .. tokens.refresh_token:reveal())
    end)()
    """#
}
