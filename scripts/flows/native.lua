-- Native authentication of Microsoft Entra External ID (version 1): the program itself asks for the user name, the
-- password and the codes, without a browser. The application must be public and allow native authentication.
--
--   accounts.sign_in { flow = "native", username = "eva@example.com", password = b2c.term.password "Password" }
--   accounts.sign_in { flow = "native", username = "eva@example.com", code = function(sent) … return "12345678" end }
--   accounts.sign_in { flow = "native", sign_up = true, username = …, password = …, attributes = { displayName = "Eva" } }
--   accounts.sign_in { flow = "native", reset = true, username = …, password = "the new one" }
--
-- The terminal asks for an option that is not given. The provider may want a browser after all: that is the error
-- "redirect", after which flow = "authorization_code" signs in.

local b2c = require "b2c"
local oauth, term, async = b2c.oauth, b2c.term, b2c.async

-- Limits for a provider that never comes to an end.
local most_codes, most_steps, longest_reset = 3, 10, 600

--- Calls a function that asks at the terminal. Without a terminal, the error names the option to give.
local function ask(option, question, ...)
  local ok, answer = pcall(question, ...)
  if ok then return answer end
  if answer.code ~= "no_terminal" then error(answer, 0) end
  error {
    code = "missing_credentials",
    message = "the flow native needs the option " .. option,
    hint = "give the option, or run the script on a terminal, which asks for it",
  }
end

local function new_password(options)
  if options.password then return options.password end
  local first = ask("password", term.password, "New password")
  if term.password("The same again"):reveal() ~= first:reveal() then
    error { code = "passwords_differ", message = "the two passwords differ", hint = "sign in again" }
  end
  return first
end

--- Sends a code with `submit`. After a wrong code it asks again; the continuation token stays valid.
local function with_code(options, sent, submit)
  if sent.challenge_type ~= "oob" then
    error {
      code = "unsupported_challenge",
      message = ("the provider asks for %q, expected a one-time code"):format(sent.challenge_type or "nothing"),
      hint = 'sign in with flow = "authorization_code"',
    }
  end
  for attempt = 1, most_codes do
    local code = options.code
    if type(code) == "function" then
      code = code {
        channel = sent.challenge_channel, target = sent.challenge_target_label, length = sent.code_length,
        attempt = attempt,
      }
    elseif not code then
      local place = sent.challenge_target_label or "you"
      code = ask("code", term.prompt, ("Code sent to %s"):format(place), { secret = true })
    end
    local done, answer = pcall(submit, code)
    if done then return answer end
    -- A code that was given as a string stays the same.
    local may_ask = type(options.code) ~= "string" and type(options.code) ~= "userdata"
    if answer.code ~= "invalid_oob_value" or attempt == most_codes or not may_ask then error(answer, 0) end
  end
end

local function sign_in(options, username)
  local answer = oauth.native { endpoint = "initiate", username = username }
  answer = oauth.native { endpoint = "challenge", continuation_token = answer.continuation_token }
  if answer.challenge_type == "password" then
    return oauth.token {
      grant_type = "password",
      continuation_token = answer.continuation_token,
      password = options.password or ask("password", term.password, "Password"),
      scopes = options.scopes,
    }
  end
  return with_code(options, answer, function(code)
    return oauth.token {
      grant_type = "oob", continuation_token = answer.continuation_token, oob = code, scopes = options.scopes,
    }
  end)
end

--- Returns values for the attributes that the provider requires.
local function required_attributes(options, required)
  if type(options.attributes) == "function" then return options.attributes(required) end
  local values = {}
  for _, attribute in ipairs(required) do
    local name = attribute.name
    values[name] = options.attributes and options.attributes[name]
      or ask("attributes." .. name, term.prompt, name)
  end
  return values
end

local function sign_up(options, username)
  local attributes = type(options.attributes) == "table" and options.attributes or nil
  local answer = oauth.native {
    endpoint = "signup/start", username = username, password = options.password, attributes = attributes,
  }
  local sent = oauth.native { endpoint = "signup/challenge", continuation_token = answer.continuation_token }
  answer = with_code(options, sent, function(code)
    return oauth.native {
      endpoint = "signup/continue", continuation_token = sent.continuation_token, grant_type = "oob", oob = code,
    }
  end)

  -- The provider says what is still missing, one thing after the other.
  local steps = 0
  while answer.error do
    steps = steps + 1
    if steps > most_steps then
      error { code = "endless_sign_up", message = ("the provider asks for %s again and again"):format(answer.error) }
    end
    if answer.error == "credential_required" then
      answer = oauth.native { endpoint = "signup/challenge", continuation_token = answer.continuation_token }
      answer = oauth.native {
        endpoint = "signup/continue", continuation_token = answer.continuation_token, grant_type = "password",
        password = new_password(options),
      }
    else
      answer = oauth.native {
        endpoint = "signup/continue", continuation_token = answer.continuation_token, grant_type = "attributes",
        attributes = required_attributes(options, answer.required_attributes or {}),
      }
    end
  end
  return answer
end

local function reset(options, username)
  local answer = oauth.native { endpoint = "resetpassword/start", username = username }
  local sent = oauth.native { endpoint = "resetpassword/challenge", continuation_token = answer.continuation_token }
  answer = with_code(options, sent, function(code)
    return oauth.native {
      endpoint = "resetpassword/continue", continuation_token = sent.continuation_token, grant_type = "oob",
      oob = code,
    }
  end)
  answer = oauth.native {
    endpoint = "resetpassword/submit", continuation_token = answer.continuation_token,
    new_password = new_password(options),
  }

  -- The provider takes some time to store the password. No wait is longer than the rest of the time.
  local interval, waited = math.max(answer.poll_interval or 2, 1), 0
  while true do
    answer = oauth.native { endpoint = "resetpassword/poll_completion", continuation_token = answer.continuation_token }
    if answer.status == "succeeded" then return answer end
    if answer.status == "failed" or waited >= longest_reset then
      error {
        code = "reset_failed",
        message = answer.status == "failed" and "the provider could not store the new password"
          or ("the provider did not store the new password within %d seconds"):format(longest_reset),
        hint = "reset the password again",
      }
    end
    local wait = math.min(interval, longest_reset - waited)
    async.sleep(wait)
    waited = waited + wait
  end
end

return function(ctx)
  local options = ctx.options
  if options.sign_up and options.reset then
    error { code = "invalid_argument", message = "the flow native takes sign_up or reset, not both" }
  end
  local username = options.username or options.login_hint or ask("username", term.prompt, "Email address")
  if not options.sign_up and not options.reset then return sign_in(options, username) end
  local answer = (options.sign_up and sign_up or reset)(options, username)
  return oauth.token {
    grant_type = "continuation_token", continuation_token = answer.continuation_token, username = username,
    scopes = options.scopes,
  }
end
