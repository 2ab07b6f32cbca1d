-- Accounts without an ID token: the script says who signed in.

local b2c = require "b2c"
local oauth = b2c.oauth
local support = require "support"
local equal, failure, sign_in = support.equal, support.failure, support.sign_in

--- A flow whose tokens have no ID token.
local function without_id_token(subject)
  return function(ctx)
    local tokens = oauth.token {
      grant_type = "password", policy = "ropc", username = ctx.options.username, password = ctx.options.password,
      scopes = { b2c.settings.clientID, "offline_access" },
    }
    equal(tokens.id_token, nil)
    tokens.subject = subject
    return tokens
  end
end

local e = failure(sign_in, { flow = without_id_token(), policy = "ropc" })
equal(e.code, "missing_id_token")
equal(e.hint, "request the scope openid; if the provider gives no ID token, give the option subject")

local account = sign_in { flow = without_id_token(), policy = "ropc", subject = "alice@work" }
equal(account.name, "alice@work")
equal(account.proven, false)
equal(account.claims.sub, "alice@work")
equal(account.claims.iss, oauth.metadata("ropc").issuer)
account:refresh()
equal(account.name, "alice@work")
equal(account:id_token(), nil)

-- By the flow
equal(sign_in({ flow = without_id_token "alice by the flow", policy = "ropc" }).name, "alice by the flow")

-- With an ID token, the name must be right.
e = failure(sign_in, { subject = "somebody" })
equal(e.code, "subject_mismatch")
account = sign_in {}
equal(account.proven, true)
equal(sign_in({ subject = account.claims.sub }).proven, true)
