-- Files of iCalendar (RFC 5545), as calendars export their tasks: VTODO components. Other components are skipped.

local b2c = require "b2c"
local icalendar = require "services.icalendar"

--- The tasks of a file, each once: of two with one UID, the one with the higher SEQUENCE, else the later one.
local function chosen(root)
  local todos, by_uid, occurrences, repeated = {}, {}, 0, 0
  for _, todo in ipairs(icalendar.all(root, "VTODO")) do
    local uid, sequence = icalendar.identity(todo)
    local known = uid and by_uid[uid]
    if icalendar.is_occurrence(todo) then
      occurrences = occurrences + 1
    elseif known then
      repeated = repeated + 1
      if sequence >= known.sequence then todos[known.position], known.sequence = todo, sequence end
    else
      todos[#todos + 1] = todo
      if uid then by_uid[uid] = { position = #todos, sequence = sequence } end
    end
  end
  local others = #icalendar.all(root, "VEVENT") + #icalendar.all(root, "VJOURNAL")
  for text, count in pairs {
    ["skipped events and journal entries, which are not tasks: %d"] = others,
    ["skipped changed occurrences of repeated tasks: %d"] = occurrences,
    ["skipped other versions of tasks, which have the same UID: %d"] = repeated,
  } do
    if count > 0 then b2c.log.info(text:format(count)) end
  end
  return todos
end

--- The name of the list, as calendars write it.
local function name_of(root)
  for _, calendar in ipairs(icalendar.all(root, "VCALENDAR")) do
    for _, part in ipairs(calendar) do
      if part.line and part.name == "X-WR-CALNAME" and part.value ~= "" then return part.value end
    end
  end
end

--- The property with the name of a task's list. In iCalendar, the list of a task is the calendar that has the file.
local list_property = "X-B2C-RUN-LIST"

--- The UID of a task in a file: that of its file at a CalDAV server, or one made from its ID.
local function uid(id) return tostring(id):match "([^/]+)%.ics$" or ("b2c-run-%s"):format(id) end

local function rows(source)
  local root = icalendar.parse(source:lines { unfold = true }, source.path)
  local todos, times, position = chosen(root), icalendar.times(root), 0
  local list = name_of(root)
  return function()
    position = position + 1
    local todo = todos[position]
    if not todo then return nil end
    local task, lost = icalendar.task(todo, times, true)
    task.source_id, task.list = task.uid, icalendar.text(todo, list_property) or list
    task.uid, task.date = nil, nil
    return task, todo.number, lost
  end
end

local function write(tasks, put)
  put "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//b2c-run//tasks//EN\r\n"
  local count, defined = 0, {}
  for task in tasks do
    for _, time in ipairs { task.due or "", task.start or "" } do
      local zone = time:match "%[(.-)%]$"
      if zone and zone ~= "UTC" and not defined[zone] then
        -- Later tasks may be older.
        local ok, definition = pcall(b2c.tasks.vtimezone, zone, math.min(2010, math.tointeger(time:sub(1, 4))))
        if ok then put(definition) end
        defined[zone] = true
      end
    end
    count = count + 1
    task.parent = task.parent and uid(task.parent)
    local todo = icalendar.todo(uid(task.id or count), task)
    if task.list_name then icalendar.set_text(todo, list_property, task.list_name) end
    put(icalendar.write(todo))
  end
  put "END:VCALENDAR\r\n"
end

return { extensions = { ".ics" }, rows = rows, write = write }
