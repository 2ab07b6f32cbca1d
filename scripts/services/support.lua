-- The parts that task services share: the failure of a response, and the times that services write in another way.

local b2c = require "b2c"
local tasks = b2c.tasks

local support = {}

local months = { Jan = 1, Feb = 2, Mar = 3, Apr = 4, May = 5, Jun = 6, Jul = 7, Aug = 8, Sep = 9, Oct = 10, Nov = 11, Dec = 12 }

--- The seconds of a time of the calendar in UTC.
local function seconds(year, month, day, hour, minute, second)
  -- The days since 1970, by a year that begins in March.
  local y = month <= 2 and year - 1 or year
  local days = 365 * y + y // 4 - y // 100 + y // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day - 1 - 719468
  return days * 86400 + hour * 3600 + minute * 60 + second
end

--- A service that asks for a longer wait does not mean a wait.
local longest_wait = 31 * 86400

--- Retry-After: seconds, or a date of HTTP (RFC 9110, 10.2.3). Nil if it is neither.
function support.retry_after(value)
  if type(value) ~= "string" and type(value) ~= "number" then return nil end
  local number = tonumber(value)
  if number then return number >= 0 and math.min(number, longest_wait) or nil end
  local day, month, year, hour, minute, second = value:match "^%a+, (%d+) (%a+) (%d+) (%d+):(%d+):(%d+) GMT$"
  if not day or not months[month] then return nil end
  local n = math.tointeger
  return math.min(longest_wait, math.max(0, seconds(n(year), months[month], n(day), n(hour), n(minute), n(second)) - os.time()))
end

--- The seconds to wait that a response asks for: in its header fields, or in its body as Todoist does.
local function wait(response)
  if response.retry_after then return response.retry_after end
  local ok, body = pcall(response.json)
  if not ok or type(body) ~= "table" then return nil end
  local more = type(body.error_extra) == "table" and body.error_extra or body
  return support.retry_after(more.retry_after)
end

--- The sentence of a service about an error: in JSON, or the beginning of a text.
local function reason(response)
  local ok, json = pcall(response.json)
  if ok and type(json) == "table" then
    local e = type(json.error) == "table" and json.error or json
    local text = e.message or e.error_description or e.error_tag or e.error
    if type(text) == "string" then return text end
  end
  if (response.headers["content-type"] or ""):find "^text/plain" then return (response.body:match "^[^\r\n]*") end
end

local hints = {
  [401] = "check the user name and the secret: b2c-run secrets set NAME",
  [403] = "the credentials do not allow this",
  [404] = "check the address and the list in the setting services",
  [423] = "somebody holds a lock; it is tried again",
  [507] = "the disk of the service is full",
}

--- The scheme, the host and the port of an address. The port of the scheme is left out.
function support.origin(url)
  local scheme, host = url:lower():match "^(%a+)://([^/?#]+)"
  if not scheme then return nil end
  return scheme .. "://" .. host:gsub("^.*@", ""):gsub(scheme == "https" and ":443$" or ":80$", "")
end

--- Raises an error if a service names an address at another host than `own`: credentials stay with that host.
function support.same_host(url, own, service)
  if support.origin(url) == support.origin(own) then return url end
  error({ code = "forbidden", message = ("%s: the server names an address at %s, and credentials stay with %s")
    :format(service, support.origin(url) or url:sub(1, 60), support.origin(own) or own), hint = "if that is right, put that address into the setting services" }, 0)
end

--- Raises an error if the address of the next page of a list was read before.
function support.once(read, url, service)
  if read[url] then
    error({ code = "unexpected_body", message = ("%s: the list has no end: its next page is one that was read before"):format(service) }, 0)
  end
  read[url] = true
  return url
end

--- The failure of a response, as the host understands it. `what` begins the sentence: "PUT https://…".
function support.failure(response, what)
  local status, text = response.status, reason(response)
  if status >= 300 and status < 400 then
    local target = response.headers.location or "nowhere"
    return { code = "unexpected_status", status = status, message = ("%s was answered %d: it points to %s, and credentials stay with %s")
      :format(what, status, support.origin(target) or target, support.origin(response.url)), hint = "put the new address into the setting services" }
  end
  return { status = status, retry_after = wait(response), hint = hints[status],
    message = ("%s was answered %d%s"):format(what, status, text and text ~= "" and ": " .. text:sub(1, 200) or "") }
end

--- The failure of a step after the one that has made the task, such as its completion. Nobody may send the task again as new:
--- a failure that passes leaves it open, so that the step is done later. Nil for a failure that stays.
function support.later(failure)
  local status = failure.status or 0
  local passes = failure.retry_after or not failure.status or status == 408 or status == 423 or status == 425 or status == 429 or status >= 500 and status ~= 507
  if not passes then return nil end
  return { code = "unknown", status = failure.status, retry_after = failure.retry_after, message = failure.message }
end

--- Raises the failure of a response, unless its status is one of those that are expected.
function support.expect(response, what, ...)
  for _, status in ipairs { ... } do if response.status == status then return response end end
  error(support.failure(response, what), 0)
end

--- Raises the error for a body that is not what the service sends.
function support.wrong_body(response, what, expected, problem)
  local start = response.body:sub(1, 60):gsub("[%c%s]+", " ")
  error({ code = "unexpected_body", status = response.status, hint = "is the address in the setting services that of the service?",
    message = ("%s was answered %d with %s, expected %s: %s"):format(what, response.status, response.headers["content-type"] or "no content type",
      expected, problem or start == "" and "the body is empty" or ('it begins "%s"'):format(start)) }, 0)
end

local function is_list_of_tables(value)
  if type(value) ~= "table" then return false end
  for _, element in ipairs(value) do if type(element) ~= "table" then return false end end
  return next(value) == nil or value[1] ~= nil
end

--- The body of a response as JSON: an object, or a list of objects if `members` is "list". `members` names members that are
--- lists of objects.
function support.json(response, what, members)
  local ok, value = pcall(response.json)
  if members == "list" then
    if not ok or not is_list_of_tables(value) then support.wrong_body(response, what, "a list in JSON") end
    return value
  end
  if not ok or type(value) ~= "table" then support.wrong_body(response, what, "an object in JSON") end
  for _, name in ipairs(members or {}) do
    if not is_list_of_tables(value[name]) then support.wrong_body(response, what, ('a list "%s" in JSON'):format(name)) end
  end
  return value
end

--- Raises the error for a task that somebody has changed since it was read.
function support.changed(id)
  error({ code = "conflict", status = 412, message = ("the task %s has changed since it was read"):format(id),
    hint = "read it again, and repeat the change" }, 0)
end

--- Raises the error for a task that is not there.
function support.gone(id) error({ code = "not_found", status = 404, message = ("there is no task %s"):format(id) }, 0) end

--- A field of a task after changes; nil if it is removed.
function support.changed_field(old, changes, name)
  if changes[name] == nil then return old[name] end
  return changes[name] or nil
end

--- A member of an object that is an object itself; an empty one for anything else.
function support.object(value) return type(value) == "table" and value or {} end

--- A text; nil for anything else.
function support.text(value) return type(value) == "string" and value or nil end

--- The credentials of a service: a user's name and password, or a token; nil for a service of accounts that is to get the
--- token of the run's account.
function support.auth(options, default, is_of_accounts)
  if is_of_accounts and options.account and not options.secret and not options.username then return nil end
  local ok, secret = pcall(b2c.secrets.get, options.secret or default)
  if not ok and is_of_accounts and not options.secret and secret.code == "no_secret" then
    secret = { code = "no_account", message = ("%s: nobody is signed in, and there is no secret '%s'"):format(default, default),
      hint = ("b2c-run sign-in, or b2c-run secrets set %s"):format(default) }
  end
  if not ok then error(secret, 0) end
  return options.username and { username = options.username, password = secret } or { bearer = secret }
end

--- The key as a UUID, the same in each run: some services take no other keys. `part` tells several UUIDs of a key apart.
function support.uuid(key, part)
  local hash = b2c.jose.hash(key .. "/" .. (part or "")):gsub(".", function(c) return ("%02x"):format(c:byte()) end)
  return ("%s-%s-5%s-a%s-%s"):format(hash:sub(1, 8), hash:sub(9, 12), hash:sub(14, 16), hash:sub(18, 20), hash:sub(21, 32))
end

--- The day of a time.
function support.day(text) return text and tasks.moment(text).date end

--- A table with only the fields that are there.
function support.task(fields)
  if type(fields.labels) ~= "table" or #fields.labels == 0 then fields.labels = nil end
  if fields.notes == "" then fields.notes = nil end
  return fields
end

return support
