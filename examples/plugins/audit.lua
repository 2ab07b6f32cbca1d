-- Writes a log of sign-ins, changes of accounts, and requests that change data. Each entry is one line of JSON, and
-- entries are only appended. The log has no tokens, passwords or request bodies.
--
--   cp examples/plugins/audit.lua plugins/
--   b2c-run --allow-write=audit.ndjson import tasks.csv
--
-- The setting auditLog names the file; the default is audit.ndjson in the current folder. Without the permission to
-- write the file, nothing is logged and b2c-run prints a warning.
--
-- needs: --allow-write=audit.ndjson  adds a line for each sign-in and each change

local b2c = require "b2c"
local json = b2c.json

local harmless = { GET = true, HEAD = true, OPTIONS = true }

local function path()
  -- There may be no settings.
  local ok, name = pcall(function() return b2c.settings.auditLog end)
  return ok and name or "audit.ndjson"
end

local function note(entry)
  entry.time = os.date "!%Y-%m-%dT%H:%M:%SZ"
  local file <close> = assert(io.open(path(), "a"))
  -- Each line is a single write, so that lines of two runs do not mix.
  assert(file:write(json.encode(entry) .. "\n"))
end

return {
  name = "audit",
  version = "1.0",
  hooks = {
    on_changed = function(change)
      note { event = "account_" .. change.kind, reason = change.reason, account = change.account.name,
        id = change.account.id, policy = change.account.policy }
    end,
    on_failed = function(failure)
      note { event = "sign_in_failed", stage = failure.stage, policy = failure.policy, code = failure.error.code,
        account = failure.account and failure.account.name }
    end,
    after_response = function(request, response)
      if harmless[request.method] then return end
      note { event = "request", method = request.method, url = request.url, status = response.status,
        error = response.error and response.error.code, seconds = tonumber(("%.3f"):format(response.seconds)) }
    end,
  },
}
