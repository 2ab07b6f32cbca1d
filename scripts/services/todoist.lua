-- Tasks of Todoist, by the commands of its sync API (v1).
--
--   b2c-run secrets set todoist                    (the API token: Settings, Integrations, Developer)
--   b2c-run import tasks.csv --service todoist
--
-- `list` is the name of a project; without it, the inbox. A command has a UUID that follows from the row's key, so that a
-- command that is sent twice counts once.
--
-- The key of a task at its source is the last line of the description, "Key: 4711". Todoist has no versions of tasks, so that a task has
-- no entity tag.
--
-- It cannot keep: start, url, and recurrence, which Todoist writes in words ("every monday"). Of nine priorities it
-- keeps four: 1, 3, 5, and none.

local b2c = require "b2c"
local http, json, tasks = b2c.http, b2c.json, b2c.tasks
local support = require "support"

local priorities = { [1] = 4, [2] = 4, [3] = 3, [4] = 3, [5] = 2, [6] = 2, [7] = 2, [8] = 2, [9] = 2 }
local read_priorities = { [4] = 1, [3] = 3, [2] = 5 }

local function due(text)
  if not text then return json.null end
  local moment = tasks.moment(text)
  if not moment.time then return { date = moment.date } end
  -- A time without Z floats, also with a zone.
  if not moment.utc then return { date = moment.date .. "T" .. moment.time } end
  return { date = moment.utc, timezone = moment.zone ~= "UTC" and moment.zone or nil }
end

local function read_due(value)
  if type(value) ~= "table" or not value.date then return nil end
  local ok, moment = pcall(tasks.moment, value.date)
  if not ok then return nil end
  local zone = type(value.timezone) == "string" and value.timezone
  if not zone or not moment.utc then return moment.text end
  -- The machine may not know the zone.
  local is_known, there = pcall(tasks.moment, value.date, zone)
  return is_known and there.text or moment.text
end

--- The description of a task. The key of the task at its source is in its last line: there is no other place. A line without a key
--- follows notes that end in such a line.
local function description(notes, key)
  if not key and not ("\n" .. (notes or "")):find "\nKey:[^\n]*$" then return notes end
  return (notes and notes .. "\n" or "") .. "Key: " .. (key or "")
end

--- The notes and the key of a description.
local function read_description(text)
  local notes, key = ("\n" .. (text or "")):match "^(.-)\r?\nKey:[ \t]*([^\n]*)$"
  if not notes then return text end
  return notes:sub(2), key:match "^(.-)%s*$"
end

local function open(options)
  local url = options.url or "https://api.todoist.com/api/v1"
  local auth = support.auth(options, "todoist")
  local service = {}

  local function send(method, path, more, members)
    local request = { method = method, url = url .. path, auth = auth, raise = false, redirects = false }
    for name, value in pairs(more or {}) do request[name] = value end
    local what = method .. " " .. request.url
    return support.json(support.expect(http.request(request), what, 200), what, members)
  end

  local function sync(token, kinds, members)
    return send("POST", "/sync", { form = { sync_token = token or "*", resource_types = json.encode(json.array(kinds)) } }, members)
  end

  --- Runs commands. Returns the failure of each by its UUID, and the IDs of new tasks by their temporary IDs.
  local function run(commands)
    local answer = send("POST", "/sync", { form = { commands = json.encode(json.array(commands)) } })
    local failures = {}
    for _, command in ipairs(commands) do
      local status = support.object(answer.sync_status)[command.uuid]
      if type(status) == "table" then
        local code = math.tointeger(tonumber(status.http_code)) or 400
        failures[command.uuid] = { status = code, message = ("%s was refused: %s"):format(command.type, support.text(status.error) or "no reason given"),
          retry_after = support.retry_after(status.retry_after or support.object(status.error_extra).retry_after) }
      elseif status ~= "ok" then
        failures[command.uuid] = { code = "unknown", message = command.type .. " has no result" }
      end
    end
    return failures, support.object(answer.temp_id_mapping)
  end

  -- The projects of the tasks that were seen: a sub-task is in the project of its parent.
  local projects = {}

  local function task(item)
    projects[item.id] = item.project_id
    local notes, key = read_description(support.text(item.description))
    return support.task {
      id = item.id, text = item.content, notes = notes, key = key ~= "" and key or nil, completed = item.checked == true or item.completed_at ~= nil and item.completed_at ~= json.null,
      completed_at = type(item.completed_at) == "string" and item.completed_at or nil, due = read_due(item.due),
      priority = read_priorities[item.priority], labels = item.labels, list = item.project_id,
      parent = type(item.parent_id) == "string" and item.parent_id or nil, date = item.updated_at or item.added_at, raw = item,
    }
  end

  function service.lists()
    local lists = {}
    for _, project in ipairs(sync("*", { "projects" }, { "projects" }).projects) do
      if not project.is_deleted then lists[#lists + 1] = { id = project.id, name = project.name, default = project.inbox_project or nil } end
    end
    return lists
  end

  --- Makes a project. The UUID of the command follows from the name and the day: several machines make one project.
  function service.make_list(name)
    local uuid, temporary = support.uuid(name, "project_add " .. os.date "!%Y-%m-%d"), support.uuid(name, "project")
    local failures, ids = run { { type = "project_add", uuid = uuid, temp_id = temporary, args = { name = name } } }
    if failures[uuid] then error(failures[uuid], 0) end
    return { id = ids[temporary] or temporary, name = name }
  end

  local usual
  local function inbox()
    for _, list in ipairs(usual and {} or service.lists()) do if list.default then usual = list.id end end
    return usual or error({ code = "unknown_list", message = "todoist: the account has no inbox", hint = "name a list" }, 0)
  end

  --- The open tasks first; then the completed ones, three months at a time, back to the day on which the user joined.
  function service.pages(list, cursor)
    local page = {}
    if not cursor then
      list = list or inbox()
      local all = sync("*", { "items", "user" }, { "items" })
      for _, item in ipairs(all.items) do
        if item.project_id == list and not item.is_deleted and not item.checked then page[#page + 1] = task(item) end
      end
      -- Nobody joined before there was a Todoist.
      local joined = support.text(support.object(all.user).joined_at) or ""
      return page, { list = list, joined = joined > "2007" and joined:sub(1, 10) or "2007-01-01", ending = os.time() + 86400, read = {} }
    end
    local beginning = cursor.ending - 89 * 86400
    local answer = send("GET", "/tasks/completed/by_completion_date", { query = {
      since = os.date("!%Y-%m-%dT%H:%M:%SZ", beginning), ["until"] = os.date("!%Y-%m-%dT%H:%M:%SZ", cursor.ending),
      project_id = cursor.list, limit = 200, cursor = cursor.part,
    } }, { "items" })
    for _, item in ipairs(answer.items) do
      item.checked = true
      page[#page + 1] = task(item)
    end
    cursor.part = support.text(answer.next_cursor)
    if cursor.part then
      support.once(cursor.read, cursor.part, "todoist")
      return page, cursor
    end
    cursor.ending = beginning
    return page, os.date("!%Y-%m-%d", beginning) >= cursor.joined and cursor or nil
  end

  local function new_project(item)
    local parent = item.task.parent
    if parent then return projects[parent] end
    return item.list or inbox()
  end

  --- Gives tasks their IDs if an earlier request has made them: the answer to a repeated command may have none. A task that is there
  --- twice gets none.
  local function identify(results)
    local function place(one) return table.concat({ one.list, one.text, one.key or "" }, "\n") end
    local lists, found = {}, {}
    for _, result in ipairs(results) do
      local made = result.task
      if made and not made.id and made.list then lists[made.list] = true end
    end
    for list in pairs(lists) do
      local open, cursor = service.pages(list)
      for _, page in ipairs { open, (service.pages(list, cursor)) } do
        for _, one in ipairs(page) do found[place(one)] = found[place(one)] == nil and one end
      end
    end
    for _, result in ipairs(results) do
      local made = result.task
      if made and not made.id and made.list then made.id = (found[place(made)] or {}).id end
    end
    return results
  end

  function service.create(batch)
    local commands, results, completed_at = {}, {}, {}
    for i, item in ipairs(batch) do
      local new, temporary = item.task, support.uuid(item.key, "task")
      commands[#commands + 1] = { type = "item_add", uuid = support.uuid(item.key, "add"), temp_id = temporary, args = {
        content = new.text, description = description(new.notes, new.key), project_id = not new.parent and item.list or nil, labels = new.labels, parent_id = new.parent,
        due = new.due and due(new.due), priority = priorities[new.priority or 0] or 1,
      } }
      if new.completed then
        -- The task in the result has the time that Todoist keeps.
        completed_at[i] = new.completed_at and tasks.moment(new.completed_at).utc or os.date "!%Y-%m-%dT%H:%M:%SZ"
        commands[#commands + 1] = { type = "item_complete", uuid = support.uuid(item.key, "complete"),
          args = { id = temporary, date_completed = completed_at[i] } }
      end
    end
    local failures, ids = run(commands)
    for i, item in ipairs(batch) do
      local open = failures[support.uuid(item.key, "complete")]
      local failure = failures[support.uuid(item.key, "add")] or open and support.later(open)
      if failure then
        results[i] = { error = failure }
      else
        local made = {}
        for name, value in pairs(item.task) do made[name] = value end
        -- The task is there, and may not be completed.
        made.completed, made.completed_at = not open and made.completed or false, not open and completed_at[i] or nil
        made.priority = read_priorities[priorities[made.priority or 0] or 1]
        made.id, made.list = ids[support.uuid(item.key, "task")], new_project(item)
        projects[made.id or ""] = made.list
        results[i] = { task = made }
      end
    end
    return identify(results)
  end

  function service.get(id)
    local response = http.request { url = url .. "/tasks/" .. id, auth = auth, raise = false, redirects = false }
    if response.status == 404 then return nil end
    local what = "GET " .. url .. "/tasks/" .. id
    local item = support.json(support.expect(response, what, 200), what)
    return item.is_deleted ~= true and task(item) or nil
  end

  --- Runs one command that changes a task, and raises its failure.
  local function change(kind, args)
    local uuid = support.uuid(args.id .. os.time() .. math.random(0), kind)
    local failure = run({ { type = kind, uuid = uuid, args = args } })[uuid]
    if failure then error(failure, 0) end
  end

  function service.update(old, changes)
    local args, has_fields = { id = old.id }, false
    local function set(name, value) args[name], has_fields = value, true end
    if changes.text then set("content", changes.text) end
    if changes.notes ~= nil or changes.key ~= nil then
      -- The description is read again, because somebody may have changed the other part of it.
      local current = changes.notes ~= nil and changes.key ~= nil and old or service.get(old.id) or support.gone(old.id)
      set("description", description(support.changed_field(current, changes, "notes"), support.changed_field(current, changes, "key")) or "")
    end
    if changes.labels ~= nil then set("labels", changes.labels or json.array {}) end
    if changes.due ~= nil then set("due", due(changes.due)) end
    if changes.priority ~= nil then set("priority", priorities[changes.priority or 0] or 1) end
    if has_fields then change("item_update", args) end
    -- A sub-task is in the project of its parent. A move to a project takes a task out of its parent.
    if changes.parent then
      change("item_move", { id = old.id, parent_id = changes.parent })
    elseif changes.parent == false or changes.list then
      change("item_move", { id = old.id, project_id = changes.list or old.list or inbox() })
    end
    if changes.completed == true then change("item_complete", { id = old.id }) end
    if changes.completed == false then change("item_uncomplete", { id = old.id }) end
    return service.get(old.id) or support.gone(old.id)
  end

  function service.delete(old) change("item_delete", { id = old.id }) end

  function service.changes(list, token)
    list = list or inbox()
    local answer = sync(token, { "items" }, { "items" })
    local changed, removed = {}, {}
    for _, item in ipairs(answer.items) do
      if item.is_deleted then
        removed[#removed + 1] = item.id
      elseif item.project_id == list then
        changed[#changed + 1] = task(item)
      end
    end
    return changed, removed, answer.sync_token
  end

  return service
end

return {
  summary = "Todoist",
  fields = { "text", "notes", "completed", "completed_at", "due", "priority", "labels", "list", "parent", "key" },
  parent = "same_list", priorities = { 1, 3, 5 }, longest = { text = 500, notes = 16120 }, batch = 50, concurrency = 1, idempotency = "key",
  settings = { "url", "list", "secret" },
  open = open,
}
