-- Tasks of Microsoft To Do, by Microsoft Graph v1.0.
--
--   b2c-run sign-in                                (with the scope Tasks.ReadWrite at the common authority)
--   b2c-run import tasks.csv --service microsoft
--
-- The token is that of the current account, or the secret named by `secret`. `list` is the name of a list; without it, the
-- default list. Each new task has a linked resource with the row's key, by which a task is found again, and with the key of the task at
-- its source. A change and a removal name the version of the task (@odata.etag) with If-Match.
--
-- It keeps the day of `due` and `start` alone, three priorities (1, none, 9), and no parent and no recurrence of RFC 5545. A day is
-- an instant in Graph: its midnight in the time zone of the mailbox. `zone` is that zone; without it, the settings of the mailbox
-- are asked, which needs the scope MailboxSettings.Read.

local b2c = require "b2c"
local http, json, tasks = b2c.http, b2c.json, b2c.tasks
local support, zones = require "support", require "zones"

local application = "b2c-run"

-- The externalId of the linked resource has the key of the row and, behind this mark, the key of the task at its source. Graph describes
-- it as the "ID of the object that is associated with this task on the third-party/partner system"
-- (learn.microsoft.com/graph/api/resources/linkedresource). Lists expand linked resources anyway, so that the key needs no further
-- request. An open extension would be a second resource to expand. A task has one linked resource.
local key_mark = "key="

local function external_id(row_key, key)
  if not key then return row_key end
  return (row_key and row_key .. " " or "") .. key_mark .. key
end

--- The key of the row and the key at the source of a linked resource.
local function keys_of(linked)
  local id = support.text(linked.externalId) or ""
  local row_key, key = (" " .. id):match("^(.-) " .. key_mark .. "(.*)$")
  if not key then row_key = " " .. id end
  return row_key ~= "" and row_key ~= " " and row_key:sub(2) or nil, key
end

local function importance(priority) return not priority and "normal" or priority < 5 and "high" or priority > 5 and "low" or "normal" end
local read_importance = { high = 1, low = 9 }

--- A time of Graph: an instant, or a time of a zone's clocks. Its zone is named as by Windows or by the IANA database.
local function moment(value)
  local text, name = support.text(support.object(value).dateTime), support.text(support.object(value).timeZone)
  local zone = name and zones.named(name)
  local ok, read = pcall(tasks.moment, text and text .. (zone and (zone == "UTC" and "Z" or "[" .. zone .. "]") or "") or "")
  return ok and read or nil
end

local function open(options)
  local url = options.url or "https://graph.microsoft.com/v1.0"
  local auth = support.auth(options, "microsoft", true)
  local account = not auth and options.account or nil
  local service = {}

  local function send(method, address, more)
    -- Next pages have whole addresses, and anything behind `url` other than a path would change its host.
    local whole = support.same_host(address:find "^/" and url .. address or address, url, "microsoft")
    local request = { method = method, url = whole, auth = auth, account = account,
      raise = false, redirects = false }
    for name, value in pairs(more or {}) do request[name] = value end
    return http.request(request), method .. " " .. request.url
  end
  --- Reads a page of a list.
  local function ask(address)
    local response, what = send("GET", address)
    return support.json(support.expect(response, what, 200), what, { "value" })
  end

  local mailbox
  --- The name of the mailbox's time zone as Graph writes it, and as the IANA database does; false if nobody may know it.
  local function mailbox_zone()
    if mailbox then return mailbox.name, mailbox.zone end
    local name = options.zone
    for _, path in ipairs(name and {} or { "/me/mailboxSettings/timeZone", "/me/mailboxSettings" }) do
      local response, what = send("GET", path)
      local status = response.status
      -- A wait or a fault of the server passes: the next task asks again.
      if status == 401 or status == 408 or status == 429 or status >= 500 and status ~= 501 then support.expect(response, what, 200) end
      local answer = status == 200 and support.json(response, what) or {}
      name = support.text(answer.value) or support.text(answer.timeZone)
      if name or status == 403 then break end
    end
    local zone = name and zones.named(name) or false
    mailbox = { name = zone and name, zone = zone }
    if options.zone and not zone then
      error({ code = "unknown_zone", message = ("microsoft: there is no time zone '%s'"):format(name), hint = "write it as Europe/Berlin" }, 0)
    elseif not zone then
      b2c.log.info(("microsoft: the time zone of the mailbox is %s; days are read as the nearest midnights"):format(name and "'" .. name .. "', which is not known"
        or "not told (scope MailboxSettings.Read, or services.microsoft.zone)"))
    end
    return mailbox.name, zone
  end

  --- A day as Graph keeps it: its midnight.
  local function day(text) return text and { dateTime = support.day(text) .. "T00:00:00", timeZone = mailbox_zone() or "UTC" } or json.null end

  local function read_day(value)
    local read = moment(value)
    if not read or not read.utc then return read and read.date end
    local _, zone = mailbox_zone()
    -- Programs that do not ask for the zone have midnight in UTC.
    local is_of_utc = read.utc:find("T00:00:00", 1, true)
    if zone then
      local there = tasks.moment(read.utc, zone)
      return is_of_utc and there.time ~= "00:00:00" and read.utc:sub(1, 10) or there.date
    end
    if read.zone ~= "UTC" then return read.date end
    -- Midnights of zones from UTC-10 to UTC+13.
    local shifted = tasks.moment(read.utc:sub(1, -2) .. "-13:00")
    return is_of_utc and read.date or shifted.date
  end

  --- The address of the next page; nil at the end.
  local function next_page(answer) return support.text(answer["@odata.nextLink"]) end

  local function segment(id) return (tostring(id):gsub("[^%w%-._~]", function(c) return ("%%%02X"):format(c:byte()) end)) end
  local function place(list) return "/me/todo/lists/" .. segment(list) .. "/tasks" end

  function service.lists()
    local lists, address, read = {}, "/me/todo/lists?$top=100", {}
    while address do
      local answer = ask(support.once(read, address, "microsoft"))
      for _, list in ipairs(answer.value) do
        lists[#lists + 1] = { id = list.id, name = list.displayName, default = list.wellknownListName == "defaultList" or nil }
      end
      address = next_page(answer)
    end
    return lists
  end

  --- Makes a list. Graph has no key for a request, so that two machines may make two at the same moment.
  function service.make_list(name)
    local response, what = send("POST", "/me/todo/lists", { json = { displayName = name } })
    local made = support.json(support.expect(response, what, 201, 200), what)
    if not support.text(made.id) then support.wrong_body(response, what, "a list with its id") end
    return { id = made.id, name = support.text(made.displayName) or name }
  end

  --- Graph moves no tasks to another list.
  function service.fixed() return { "list" } end

  local default
  local function folder(list)
    if list then return list end
    for _, one in ipairs(default and {} or service.lists()) do if one.default then default = one.id end end
    return default or error({ code = "unknown_list", message = "microsoft: the account has no default list", hint = "name a list" }, 0)
  end

  local function task(item, list)
    local linked = support.object(support.object(item.linkedResources)[1])
    local row_key, key = keys_of(linked)
    local done = item.status == "completed" and moment(item.completedDateTime) or nil
    return support.task {
      id = item.id, text = item.title, notes = type(item.body) == "table" and item.body.content or nil,
      completed = item.status == "completed",
      completed_at = done and (done.utc or done.text),
      due = read_day(item.dueDateTime), start = read_day(item.startDateTime), priority = read_importance[item.importance],
      labels = item.categories, list = list, url = support.text(linked.webUrl),
      etag = support.text(item["@odata.etag"]), date = item.lastModifiedDateTime, key = key, row_key = row_key, raw = item,
    }
  end

  local function fields(changes)
    local body = {}
    if changes.text then body.title = changes.text end
    if changes.notes ~= nil then body.body = { content = changes.notes or "", contentType = "text" } end
    if changes.due ~= nil then body.dueDateTime = day(changes.due) end
    if changes.start ~= nil then body.startDateTime = day(changes.start) end
    if changes.priority ~= nil then body.importance = importance(changes.priority) end
    if changes.labels ~= nil then body.categories = changes.labels or json.array {} end
    if changes.completed ~= nil then body.status = changes.completed and "completed" or "notStarted" end
    return body
  end

  function service.pages(list, cursor)
    list = folder(list)
    local answer = ask(cursor or place(list) .. "?$top=100&$expand=linkedResources")
    local page = {}
    for i, item in ipairs(answer.value) do page[i] = task(item, list) end
    return page, next_page(answer)
  end

  function service.create(batch)
    local requests, results, lists = {}, {}, {}
    for i, item in ipairs(batch) do
      lists[i] = folder(item.list)
      local body = fields(item.task)
      body.linkedResources = { { applicationName = application, displayName = item.task.text, externalId = external_id(item.key, item.task.key), webUrl = item.task.url } }
      requests[i] = { id = tostring(i), method = "POST", url = place(lists[i]), body = body, headers = { ["Content-Type"] = "application/json" },
        -- Four requests at once are allowed, so there are four chains.
        dependsOn = i > 4 and { tostring(i - 4) } or nil }
    end
    local whole, what = send("POST", "/$batch", { json = { requests = requests } })
    local answer = support.json(support.expect(whole, what, 200), what, { "responses" })
    for _, response in ipairs(answer.responses) do
      local i, status = math.tointeger(tonumber(response.id)), math.tointeger(response.status)
      local headers, e = {}, support.object(support.object(response.body).error)
      for name, value in pairs(support.object(response.headers)) do headers[tostring(name):lower()] = tostring(value) end
      if not batch[i] or results[i] or not status then
        -- An answer to none of the requests.
      elseif status == 201 or status == 200 then
        if not support.text(support.object(response.body).id) then
          results[i] = { error = { code = "unknown", message = ("task %d of the batch was answered %d without a task"):format(i, status) } }
          goto continue
        end
        local made = task(response.body, lists[i])
        -- The answer of a new task has no linked resources.
        made.url, made.key = made.url or batch[i].task.url, batch[i].task.key
        results[i] = { task = made }
      else
        -- 424: it was not tried, because one before it in its chain has failed.
        results[i] = { error = { status = status, retry_after = support.retry_after(headers["retry-after"]) or status == 424 and 0 or nil,
          message = ("task %d of the batch was answered %d%s"):format(i, status, support.text(e.message or e.code) and ": " .. (e.message or e.code) or "") } }
      end
      ::continue::
    end
    for i = 1, #batch do results[i] = results[i] or { error = { code = "unknown", message = "the batch has no answer for the task" } } end
    return results
  end

  --- The tasks, page by page: each has its key in its linked resource.
  function service.find_all(_, list, cursor) return service.pages(list, cursor) end

  local function get(id, list)
    local response, what = send("GET", place(list) .. "/" .. segment(id) .. "?$expand=linkedResources")
    if response.status == 404 then return nil end
    return task(support.json(support.expect(response, what, 200), what), list)
  end

  --- The task with an ID, which may be in another list than the usual one.
  function service.get(id, list)
    list = folder(list)
    local found = get(id, list)
    for _, one in ipairs(found and {} or service.lists()) do
      if not found and one.id ~= list then found = get(id, one.id) end
    end
    return found
  end

  --- Sends a change to a task, or its removal, if the task has the version that the caller knows.
  local function guarded(method, old, more)
    more.headers = { ["If-Match"] = old.etag }
    local response, what = send(method, place(folder(old.list)) .. "/" .. segment(old.id), more)
    if response.status == 404 then support.gone(old.id) end
    if response.status == 412 then support.changed(old.id) end
    return response, what
  end

  --- Changes the linked resource of a task. Graph compares no version of it, so that the task is read before. Returns the task.
  local function relink(old, changes)
    local list = folder(old.list)
    local current = get(old.id, list) or support.gone(old.id)
    if old.etag and current.etag ~= old.etag then support.changed(old.id) end
    local linked = support.object(support.object(current.raw.linkedResources)[1])
    if linked.id and linked.applicationName ~= application then
      error({ code = "cannot_change", message = ("microsoft: the task %s is linked by %s, and a task has one link"):format(old.id,
        support.text(linked.applicationName) or "another program"), hint = "leave out its key and its url" }, 0)
    end
    local url = support.changed_field(current, changes, "url")
    local body = { externalId = external_id(current.row_key, support.changed_field(current, changes, "key")) or json.null, webUrl = url or json.null }
    if not linked.id then body.applicationName, body.displayName = application, current.text end
    local address = place(list) .. "/" .. segment(old.id) .. "/linkedResources" .. (linked.id and "/" .. segment(linked.id) or "")
    local response, what = send(linked.id and "PATCH" or "POST", address, { json = body })
    support.expect(response, what, 200, 201)
    return get(old.id, list) or support.gone(old.id)
  end

  function service.update(old, changes)
    local body, is_linked = fields(changes), changes.key ~= nil or changes.url ~= nil
    local made = old
    if next(body) or not is_linked then
      local response, what = guarded("PATCH", old, { json = body })
      made = task(support.json(support.expect(response, what, 200), what), folder(old.list))
      -- The answer may have no linked resources.
      made.url, made.key, made.row_key = made.url or old.url, made.key or old.key, made.row_key or old.row_key
    end
    return is_linked and relink(made, changes) or made
  end

  function service.delete(old)
    local response, what = guarded("DELETE", old, {})
    support.expect(response, what, 204)
  end

  function service.changes(list, token)
    list = folder(list)
    local address, changed, removed, read = token or place(list) .. "/delta", {}, {}, {}
    while true do
      local response, what = send("GET", support.once(read, address, "microsoft"))
      if token and response.status == 410 then
        error({ code = "token_too_old", status = 410, message = "microsoft: the service does not know the token any more" }, 0)
      end
      local answer = support.json(support.expect(response, what, 200), what, { "value" })
      for _, item in ipairs(answer.value) do
        if item["@removed"] then removed[#removed + 1] = item.id else changed[#changed + 1] = task(item, list) end
      end
      local delta = support.text(answer["@odata.deltaLink"])
      if delta then return changed, removed, delta end
      address = next_page(answer) or support.wrong_body(response, what, "the address of the next page or of the next changes", "it has neither")
    end
  end

  return service
end

return {
  summary = "Microsoft To Do, by Graph",
  fields = { "text", "notes", "completed", "due", "start", "priority", "labels", "list", "url", "key" },
  due = "date", priorities = { 1, 9 }, batch = 20, concurrency = 1, idempotency = "find",
  settings = { "url", "list", "secret", "zone" },
  open = open,
}
