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

--- Retry-After: seconds, or a date of HTTP (RFC 9110, 10.2.3).
function support.retry_after(value)
  if not value then return nil end
  if tonumber(value) then return math.max(0, tonumber(value)) end
  local day, month, year, hour, minute, second = value:match "^%a+, (%d+) (%a+) (%d+) (%d+):(%d+):(%d+) GMT$"
  if not day or not months[month] then return nil end
  local n = math.tointeger
  return math.max(0, seconds(n(year), months[month], n(day), n(hour), n(minute), n(second)) - os.time())
end

--- The seconds to wait that a response asks for, in any of its header fields.
local function wait(headers)
  local asked = support.retry_after(headers["retry-after"])
  if asked then return asked end
  if headers["x-ratelimit-remaining"] == "0" and tonumber(headers["x-ratelimit-reset"]) then
    return math.max(0, tonumber(headers["x-ratelimit-reset"]) - os.time())
  end
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

--- The failure of a response, as the host understands it. `what` begins the sentence: "PUT https://…".
function support.failure(response, what)
  local status, text = response.status, reason(response)
  if status >= 300 and status < 400 then
    return { code = "unexpected_status", status = 400, message = ("%s was answered %d: it points to %s, and credentials stay with %s")
      :format(what, status, (response.headers.location or "nowhere"):match "^%a+://[^/]+" or response.headers.location or "nowhere",
        response.url:match "^%a+://[^/]+"), hint = "put the new address into the setting services" }
  end
  return { status = status, retry_after = wait(response.headers), hint = hints[status],
    message = ("%s was answered %d%s"):format(what, status, text and text ~= "" and ": " .. text:sub(1, 200) or "") }
end

--- Raises the failure of a response, unless its status is one of those that are expected.
function support.expect(response, what, ...)
  for _, status in ipairs { ... } do if response.status == status then return response end end
  error(support.failure(response, what), 0)
end

--- The credentials of a service: a user's name and password, or a token; nil for a service of accounts that is to get the
--- token of the run's account.
function support.auth(options, default, is_of_accounts)
  if is_of_accounts and options.account and not options.secret and not options.username then return nil end
  local secret = b2c.secrets.get(options.secret or default)
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
  if fields.labels and #fields.labels == 0 then fields.labels = nil end
  if fields.notes == "" then fields.notes = nil end
  return fields
end

return support
