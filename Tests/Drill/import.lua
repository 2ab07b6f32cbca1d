-- Kills and restarts an import until it is done, while the tenant makes many requests fail. At the end each row must exist
-- exactly once: with idempotency keys, without them, and with a server that lists only 20 tasks.
--
--   b2c-run -A --local --store FOLDER Tests/Drill/import.lua PROGRAM FOLDER [ROWS [KILLS [SEED]]]
local b2c = require "b2c"
local accounts, async, json, settings, tenant = b2c.accounts, b2c.async, b2c.json, b2c.settings, b2c.tenant

local program, folder = b2c.args[1], b2c.args[2]
local rows, kills = tonumber(b2c.args[3] or 3000), tonumber(b2c.args[4] or 50)
local seed = tonumber(b2c.args[5]) or os.time()
math.randomseed(seed)

local function write(name, text)
  local file <close> = assert(io.open(folder .. "/" .. name, "w"))
  assert(file:write(text))
end

local function read(name)
  local file <close> = io.open(folder .. "/" .. name)
  return file and file:read("a")
end

-- The file has columns as in real lists, and many texts occur more than once.
local function source(name, count)
  local kinds = {
    function(number) return "Task " .. number end,
    function() return "Buy milk" end,
    function(number) return "Call Ann, Bob and " .. ("Eve "):rep(number % 3) .. number // 7 end,
    function(number) return ('Read "Middlemarch", chapter %d'):format(number // 5) end,
    function(number) return "牛乳を買う " .. number // 3 end,
    function(number) return "Pack:\nsocks; 👩‍👩‍👧 " .. number // 4 end,
  }
  local lines, texts = { "Number,Title,List" }, {}
  for number = 1, count do
    local text = kinds[math.random(#kinds)](number)
    texts[text] = (texts[text] or 0) + 1
    lines[#lines + 1] = ('%d,"%s",home'):format(number, text:gsub('"', '""'))
  end
  write(name, table.concat(lines, "\r\n") .. "\r\n")
  return texts
end

-- Most faults hit few requests, so that an import makes progress. A long import meets all of them often.
local function spread_faults()
  tenant.clear_faults()
  local function fault(probability, options)
    options.method, options.path = options.method or "POST", options.path or "/api/tasks"
    options.probability, options.seed = probability, math.random(0)
    tenant.fault(options)
  end
  local soon = os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 1)
  fault(0.004, { status = 429, headers = { ["Retry-After"] = "0" } })
  fault(0.001, { status = 429, headers = { ["Retry-After"] = "1" } })
  fault(0.003, { status = 503 })
  fault(0.002, { status = 408 })
  -- These responses are not tasks and do not tell what happened to the task.
  fault(0.002, { status = 200, body = '{"error":"busy"}' })
  fault(0.002, { status = 303 })
  fault(0.001, { status = 503, headers = { ["Retry-After"] = soon } })
  fault(0.004, { drop = "request" })
  fault(0.004, { drop = "request", reset = true })
  fault(0.004, { drop = "before" })
  fault(0.004, { drop = "before", reset = true })
  fault(0.004, { drop = "middle" })
  fault(0.004, { drop = "middle", reset = true })
  -- There is no response before the importer's timeout: once without and once with a new task.
  fault(0.001, { drop = "request", delay = 5 })
  fault(0.001, { delay = 5 })
  -- The list is needed to settle the state of rows, and the tokens are needed for every request.
  fault(0.1, { method = "GET", status = 503, headers = { ["Retry-After"] = "0" } })
  fault(0.1, { method = "GET", drop = "middle" })
  fault(0.1, { path = "*/token", status = 503 })
  fault(0.1, { path = "*/token", drop = "request" })
end

-- Starts an importer in the background. The first line of its output is its process ID.
local function start(name)
  os.remove(("%s/%s.json"):format(folder, name))
  local pipe = assert(io.popen(([[cd '%s' && echo $$ && exec '%s' --settings settings.json --store . \
    import '%s.csv' --map text=Title --journal '%s.journal' --report '%s.json' --concurrency 1..32 --timeout 1 \
    --settle-after 0.2 --progress none >>'%s.log' 2>&1]]):format(folder, program, name, name, name, name), "r"))
  return { pipe = pipe, pid = assert(pipe:read("n"), "the importer cannot be started") }
end

-- Returns true if the process has ended: it is a zombie until its status is read.
local function has_ended(process)
  local file <close> = io.open(("/proc/%d/stat"):format(process.pid))
  return not file or file:read("a"):match("%) (%a)") == "Z"
end

-- Waits for the end of the process, or kills it as soon as `is_time` returns true. Returns the exit status, or nil if
-- the process was killed.
local function finish(process, is_time)
  local deadline = os.time() + 300
  while not has_ended(process) do
    if is_time() or os.time() > deadline then
      os.execute("kill -9 " .. process.pid)
      break
    end
    async.sleep(0.001)
  end
  local _, how, status = process.pipe:close()
  assert(os.time() <= deadline, "the importer did not end within five minutes")
  return how == "exit" and status or nil
end

-- Chooses when to kill: some milliseconds after the start, or after a number of requests.
local function soon(milliseconds)
  local left = math.random(0, milliseconds)
  return function()
    left = left - 1
    return left < 0
  end
end

local function within(requests)
  local last = tenant.totals().requests + math.random(0, requests)
  return function() return tenant.totals().requests >= last end
end

-- Returns how many of the tenant's tasks are missing and how many are surplus compared with the source, and some
-- examples with signs.
local function compare(texts, username)
  local difference = {}
  for text, count in pairs(texts) do difference[text] = -count end
  for _, task in ipairs(tenant.tasks(username)) do difference[task.text] = (difference[task.text] or 0) + 1 end
  local missing, doubled, some = 0, 0, {}
  for text, count in pairs(difference) do
    if count ~= 0 and #some < 20 then some[#some + 1] = ("%+d %q\n"):format(count, text) end
    if count < 0 then missing = missing - count else doubled = doubled + count end
  end
  return missing, doubled, table.concat(some)
end

local function sign_in(username)
  tenant.users.add { username = username, password = "Wonderland-1" }
  return accounts.sign_in { agent = "headless", username = username, password = "Wonderland-1" }
end

local function drill(name, account, count, kills, behavior)
  tenant.configure { idempotency_keys = true, tasks_dialect = "dotnet" }
  tenant.configure(behavior)
  tenant.clear_faults()
  accounts.use(account)
  local texts = source(name .. ".csv", count)
  local before, began = tenant.totals(), os.time()
  local result = { name = name, rows = count, kills = 0, resumes = -1, stops = 0 }
  local function left() return count - (tenant.totals().tasks - before.tasks) end
  local report, is_finished
  repeat
    spread_faults()
    -- Tokens of the key before the previous one are refused.
    if math.random(10) == 1 then
      tenant.rotate_keys()
      tenant.rotate_keys()
    end
    local kills_left = kills - result.kills
    local is_time
    if is_finished then
      is_time = soon(15)
    elseif kills_left == 0 then
      is_time = function() return false end
    elseif kills_left == 1 then
      -- Kills the importer when all rows are done but the importer has not reported it.
      is_time = function() return left() == 0 end
    elseif math.random(10) == 1 then
      is_time = soon(50)
    else
      is_time = within(2 * left() // (kills_left - 1))
    end
    result.resumes = result.resumes + 1
    if finish(start(name), is_time) then
      local text = read(name .. ".json")
      report = text and json.decode(text)
      is_finished = report and report.ending == "finished"
      if not is_finished then result.stops = result.stops + 1 end
    else
      result.kills = result.kills + 1
    end
    if result.resumes > 100 + 3 * kills then
      error("the import does not come to an end:\n" .. (read(name .. ".log") or ""):sub(-2000), 0)
    end
  until is_finished and result.kills >= kills
  report = report.rows
  result.faults, result.unsettled = tenant.totals().faults - before.faults, report.unsettled
  -- The drill starts again from the beginning.
  tenant.clear_faults()
  finish(start(name), function() return false end)
  local missing, doubled, some = compare(texts, account.name)
  result.lost, result.doubled = math.max(0, missing - report.unsettled) + report.failed, doubled
  result.seconds = os.time() - began
  if result.lost + result.doubled > 0 then io.stderr:write(name, ":\n", some) end
  return result
end

write("settings.json", json.encode {
  authority = settings.authority, clientID = settings.clientID, bhh = settings.bhh, keychain = settings.keychain,
  taskAPI = settings.taskAPI,
})
-- Access tokens are valid long enough for the start and expire during the import. Refresh tokens do not rotate, because
-- an importer that is killed between receiving and storing a new one would have to sign in again.
tenant.configure { access_token_lifetime = 4, rotate_refresh_tokens = false }
print("seed " .. seed)
local carol, dave, erin = sign_in "carol", sign_in "dave", sign_in "erin"
local results = {
  drill("keys", carol, rows, kills, {}),
  drill("list", dave, rows, kills, { idempotency_keys = false }),
  drill("node", erin, rows // 5, kills // 5, { tasks_dialect = "node" }),
}

local columns = { "rows", "kills", "resumes", "stops", "faults", "unsettled", "lost", "doubled", "seconds" }
print("import  " .. table.concat(columns, "  "))
local bad = 0
for _, result in ipairs(results) do
  local line = ("%-6s"):format(result.name)
  for _, column in ipairs(columns) do line = line .. ("  %" .. #column .. "d"):format(result[column]) end
  print(line)
  bad = bad + result.lost + result.doubled
end
if bad > 0 then error("each row should be there, once", 0) end
