-- The functions that several of these scripts use.

local b2c = require "b2c"
local support = {}

--- Signs alice in, or whom the options name, without a browser.
function support.sign_in(options)
  local all = { agent = "headless", username = "alice", password = "Wonderland-1" }
  for name, value in pairs(options or {}) do all[name] = value end
  return b2c.accounts.sign_in(all)
end

--- The error that a call raises.
function support.failure(f, ...)
  local ok, e = pcall(f, ...)
  if ok then error("expected an error", 2) end
  return e
end

--- Its message; that of Lua itself is all there is of its error.
function support.message(f, ...)
  local ok, e = pcall(f, ...)
  if ok then error("expected an error", 2) end
  return type(e) == "string" and e or e.message
end

function support.equal(actual, expected)
  if actual ~= expected then
    error(("expected %s\n     got %s"):format(tostring(expected), tostring(actual)), 2)
  end
end

--- Returns the number of the tenant's requests with this method and this end of the path.
function support.count(method, ending)
  local n = 0
  for _, request in ipairs(b2c.tenant.requests()) do
    if request.method == method and request.path:sub(-#ending) == ending then n = n + 1 end
  end
  return n
end

--- Everything accounts.on_changed and accounts.on_failed tell, as words and as it came.
function support.listen()
  local heard = { words = {} }
  local changed = b2c.accounts.on_changed(function(change)
    table.insert(heard, change)
    table.insert(heard.words, change.kind .. ":" .. change.reason)
  end)
  local failed = b2c.accounts.on_failed(function(failure)
    table.insert(heard, failure)
    table.insert(heard.words, ("failed:%s:%d"):format(failure.stage, failure.attempt))
  end)
  function heard.text() return table.concat(heard.words, " ") end
  return setmetatable(heard, { __close = function() changed:close() failed:close() end })
end

--- A file with that content, which goes away with the variable.
function support.file(content, extension)
  local name = os.tmpname()
  local path = name .. (extension or "")
  local f <close> = assert(io.open(path, "wb"))
  f:write(content)
  return setmetatable({ path = path }, { __close = function()
    os.remove(path)
    os.remove(path .. ".failed.ndjson")
    os.remove(name)
  end })
end

--- Imports a file with that content.
function support.import(content, options, extension)
  local file <close> = support.file(content, extension or ".csv")
  return b2c.tasks.import(file.path, options)
end

--- The texts of the account's tasks, sorted; the tasks are gone afterwards.
function support.take_tasks()
  local texts = {}
  for task in b2c.tasks.each() do
    table.insert(texts, task.text)
    b2c.tasks.remove(task)
  end
  table.sort(texts)
  return table.concat(texts, "|")
end

return support
