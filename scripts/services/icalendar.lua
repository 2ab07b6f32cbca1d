-- Tasks of iCalendar (RFC 5545): reads and writes VTODO components. What it does not know stays as it was, in its place.

local b2c = require "b2c"
local tasks = b2c.tasks
local zones = require(((...):match "^(.*%.)" or "") .. "zones")

local icalendar = {}

local longest, deepest = 64 << 20, 16

local place = ""

local function fail(line, message, hint)
  error({ code = "malformed_ics", message = ("%s%d: %s"):format(place == "" and "line " or place .. ":", line, message), hint = hint or "expected iCalendar (RFC 5545)" }, 0)
end

--- The lines of a text, unfolded (3.1), each with its number.
local function lines(text)
  local number, position = 0, 1
  local function physical()
    if position > #text then return nil end
    local ending = text:find("\n", position, true)
    local line = text:sub(position, (ending or #text + 1) - 1):gsub("\r$", "")
    position, number = (ending or #text) + 1, number + 1
    return line
  end
  local ahead = physical()
  return function()
    if not ahead then return nil end
    local parts, first = { ahead }, number
    ahead = physical()
    while ahead and ahead:find "^[ \t]" do
      parts[#parts + 1] = ahead:sub(2)
      ahead = physical()
    end
    return table.concat(parts), first
  end
end

--- A TZID without quotes that has colons or commas, such as UTC+03:00, and the rest of the line. Some programs write it so.
local function loose_zone(rest)
  local name, after = rest:match "^;[Tt][Zz][Ii][Dd]=([^\";]*)(:%d%d%d%d%d%d%d%d[%dTZ,]*)$"
  if not name then name, after = rest:match "^;[Tt][Zz][Ii][Dd]=([^\";]*)(;[^\"]*:%d%d%d%d%d%d%d%d[%dTZ,]*)$" end
  if name and name:find "[:,]" then return "TZID", name, after end
end

--- Splits NAME;PARAMETER=VALUE:VALUE. A quoted value of a parameter may have any other character.
local function property(line, number)
  local name, rest = line:match "^([%w-]+)(.*)$"
  if not name then fail(number, ("expected a property, got '%s'"):format(line:sub(1, 40))) end
  local parameters, count = {}, 0
  -- Each of them takes time for the whole rest of the line.
  local function step()
    count = count + 1
    if count > 1000 then fail(number, ("%s has more than 1,000 values of parameters"):format(name)) end
  end
  while rest:sub(1, 1) == ";" do
    step()
    local key, value, after = loose_zone(rest)
    if not key then key, value, after = rest:match '^;([%w-]+)="([^"]*)"(.*)$' end
    if not key then key, value, after = rest:match '^;([%w-]+)=([^;:"]*)(.*)$' end
    if not key then fail(number, ("a parameter of %s cannot be read"):format(name)) end
    -- More values of the parameter.
    while after:sub(1, 1) == "," do
      step()
      after = after:sub(after:match '^,"[^"]*"()' or after:match '^,[^;:",]*()')
    end
    parameters[key:upper()], rest = value, after
  end
  if rest:sub(1, 1) ~= ":" then fail(number, ("expected ':' after %s"):format(name)) end
  return { name = name:upper(), parameters = parameters, value = rest:sub(2), line = line, number = number }
end

--- The components of a text: each has a name, and its properties and components in their order. An error names `file`.
--- In place of a text, a function may give the unfolded lines and their numbers.
function icalendar.parse(text, file)
  place = file or ""
  local size = 0
  local root, stack = { name = "", number = 0 }, {}
  local current = root
  for line, number in type(text) == "string" and lines((text:gsub("^\xef\xbb\xbf", ""))) or text do
    size = size + #line
    if size > longest then fail(number, "there are more than 64 MiB", "split the file") end
    if line:find "%S" then
      local one = property(line, number)
      if one.name == "BEGIN" then
        if #stack >= deepest then fail(number, "components nest more than 16 deep") end
        local component = { name = one.value:upper(), number = number }
        current[#current + 1], stack[#stack + 1] = component, current
        current = component
      elseif one.name == "END" then
        if #stack == 0 or current.name ~= one.value:upper() then
          fail(number, ("END:%s does not end %s"):format(one.value, current == root and "a component" or "BEGIN:" .. current.name))
        end
        current = table.remove(stack)
      elseif current == root then
        fail(number, ("expected BEGIN:VCALENDAR, got %s"):format(one.name))
      else
        current[#current + 1] = one
      end
    end
  end
  if current ~= root then fail(current.number, ("BEGIN:%s has no END"):format(current.name)) end
  return root
end

--- The lines of at most 75 bytes of a line, without a cut in a character (3.1).
local function fold(line)
  if #line <= 75 then return line end
  local parts, position, room = {}, 1, 75
  while position <= #line do
    local last = math.min(position + room - 1, #line)
    while last < #line and last > position and line:byte(last + 1) & 0xc0 == 0x80 do last = last - 1 end
    parts[#parts + 1], position, room = line:sub(position, last), last + 1, 74
  end
  return table.concat(parts, "\r\n ")
end

--- The text of a component with all that is in it.
function icalendar.write(component)
  local out = {}
  local function write(part)
    if part.line then
      out[#out + 1] = fold(part.line)
    else
      if part.name ~= "" then out[#out + 1] = "BEGIN:" .. part.name end
      for _, inner in ipairs(part) do write(inner) end
      if part.name ~= "" then out[#out + 1] = "END:" .. part.name end
    end
  end
  write(component)
  return table.concat(out, "\r\n") .. "\r\n"
end

local escapes = { ["\\"] = "\\\\", [";"] = "\\;", [","] = "\\,", ["\n"] = "\\n" }
local function escape(text) return (text:gsub("\r\n?", "\n"):gsub("[\\;,\n]", escapes):gsub("[%z\1-\8\11-\31\127]", "")) end

local function unescape(text)
  return (text:gsub("\\(.)", function(c) return (c == "n" or c == "N") and "\n" or c end))
end

--- The parts of a list between commas that are not escaped.
local function list(text)
  local parts, from, position = {}, 1, 1
  repeat
    local at = text:find("[\\,]", position)
    if at and text:sub(at, at) == "\\" then
      position = at + 2
    else
      local part = text:sub(from, (at or #text + 1) - 1)
      if part ~= "" then parts[#parts + 1] = unescape(part) end
      from, position = (at or 0) + 1, (at or 0) + 1
    end
  until not at
  return parts
end

--- The first property of that name, and its position.
local function find(component, name)
  for i, part in ipairs(component) do if part.line and part.name == name then return part, i end end
end

--- The property with the UID of the parent, and its position: RELATED-TO may also name a child or a sibling (3.8.4.5).
local function find_parent(component)
  for i, part in ipairs(component) do
    if part.line and part.name == "RELATED-TO" and (part.parameters.RELTYPE or "PARENT"):upper() == "PARENT" then return part, i end
  end
end

local told = {}

--- The times of a calendar, by its zones.
function icalendar.times(root)
  local of = zones.of(root)
  local times = { clock = of.clock }

  --- The time of a property in the host's form, and the reason if its zone is lost. A time that cannot be read is nil; if
  --- `is_strict`, a text that the host refuses.
  function times.read(one, is_strict)
    if not one then return nil end
    local written = one.parameters["X-B2C-RUN-TIME"]
    local ok, moment = pcall(tasks.moment, one.value)
    if not ok then return is_strict and one.value or nil end
    if written then
      local known, own = pcall(tasks.moment, written)
      -- Another program may have changed the value, and kept the parameter.
      if known and own.utc == moment.utc then return own.text end
    end
    local zone = one.parameters.TZID
    if not zone or moment.zone or not moment.time then return moment.text end
    local text, problem = of.read(zone, moment, is_strict)
    if problem and not told[problem] then
      b2c.log.warn(problem)
      told[problem] = true
    end
    return text, problem
  end

  return times
end

--- A time some days and seconds later, by the clock and the calendar.
local function later(text, days, seconds)
  local moment = tasks.moment(text)
  local year, month, day = moment.date:match "(%d+)-(%d+)-(%d+)"
  if moment.time then
    local hour, minute, second = moment.time:match "(%d+):(%d+):(%d+)"
    seconds = hour * 3600 + minute * 60 + second + seconds
    days, seconds = days + seconds // 86400, seconds % 86400
  end
  -- Noon is on the same day in all time zones.
  local date = os.date("%Y-%m-%d", os.time { year = tonumber(year), month = tonumber(month), day = tonumber(day) + days, hour = 12 })
  if not moment.time then return date end
  local zone = moment.zone == "UTC" and "Z" or moment.zone and "[" .. moment.zone .. "]" or ""
  return ("%sT%02d:%02d:%02d%s"):format(date, seconds // 3600, seconds // 60 % 60, seconds % 60, zone)
end

--- DUE, or DTSTART and DURATION (3.3.6), and the reason if its zone is lost.
local function due(todo, times, is_strict)
  local start, duration = find(todo, "DTSTART"), find(todo, "DURATION")
  local given, problem = times.read(find(todo, "DUE"), is_strict)
  if given or not start or not duration then return given, problem end
  local sign, period, clock = duration.value:match "^([+-]?)P([%dWD]*)T?([%dHMS]*)$"
  local first
  first, problem = times.read(start)
  if not first or sign == "-" or not period then return is_strict and "DURATION:" .. duration.value or nil end
  local function number(text, unit) return math.tointeger(tonumber(text:match("(%d+)" .. unit))) or 0 end
  local ok, result = pcall(later, first, number(period, "W") * 7 + number(period, "D"),
    number(clock, "H") * 3600 + number(clock, "M") * 60 + number(clock, "S"))
  local is_time, moment = pcall(tasks.moment, ok and result or "")
  return is_time and moment.text or is_strict and "DURATION:" .. duration.value or nil, problem
end

--- The text of a property; nil without one.
function icalendar.text(component, name)
  local one = find(component, name)
  return one and one.value ~= "" and unescape(one.value) or nil
end

--- The task of a VTODO, and by field the reasons why a zone is lost. `times` reads the times of its calendar. If `is_strict`, a
--- time that cannot be read stays as it is written, so that the host refuses it.
function icalendar.task(todo, times, is_strict)
  local function text(name) return icalendar.text(todo, name) end
  local status, labels = text "STATUS", {}
  for _, part in ipairs(todo) do
    if part.line and part.name == "CATEGORIES" then
      for _, label in ipairs(list(part.value)) do labels[#labels + 1] = label end
    end
  end
  local parent = find_parent(todo)
  local priority = math.tointeger(tonumber(text "PRIORITY"))
  local completed, share = find(todo, "COMPLETED"), tonumber(text "PERCENT-COMPLETE")
  local due, due_problem = due(todo, times, is_strict)
  local start, start_problem = times.read(find(todo, "DTSTART"), is_strict)
  local rule = find(todo, "RRULE")
  return {
    uid = text "UID", text = text "SUMMARY" or "", notes = text "DESCRIPTION",
    completed = status and status:upper() == "COMPLETED" or not status and (completed ~= nil or share ~= nil and share >= 100),
    completed_at = times.read(completed, is_strict), due = due, start = start,
    priority = priority and priority > 0 and priority < 10 and priority or nil,
    labels = #labels > 0 and labels or nil, parent = parent and unescape(parent.value) or nil,
    recurrence = rule and rule.value or nil, url = (find(todo, "URL") or {}).value, key = text "X-B2C-RUN-KEY",
    date = times.read(find(todo, "LAST-MODIFIED") or find(todo, "DTSTAMP")),
  }, (due_problem or start_problem) and { due = due_problem, start = start_problem } or nil
end

local function now() return os.date "!%Y%m%dT%H%M%SZ" end

local function compact(moment) return (moment.date .. "T" .. moment.time):gsub("[-:]", "") end

--- The parameters and the value of a time. A time in a zone is written with the name of the zone, whose definition
--- `icalendar.define_zones` adds.
local function written_time(text)
  local moment = tasks.moment(text)
  if not moment.time then return ";VALUE=DATE:" .. moment.date:gsub("-", "") end
  if not moment.zone then return ":" .. compact(moment) end
  if moment.zone == "UTC" then return ":" .. compact(moment) .. "Z" end
  -- The second of two equal times of the clocks has an offset in the host's form, and can only be written in UTC (3.3.5).
  if moment.text:find "[+-]%d%d:%d%d%[" then
    return (';X-B2C-RUN-TIME="%s":%s'):format(moment.text, moment.utc:gsub("[-:]", ""))
  end
  return (";TZID=%s:%s"):format(moment.zone, compact(moment))
end

--- The same for a property that is there. Its zone stays, unless the new time names another one. Nil if nothing changes.
local function changed_time(one, value, times)
  local id, new = one and one.parameters.TZID, tasks.moment(value)
  local has_zone = id or one and one.parameters["X-B2C-RUN-TIME"]
  local old = has_zone and new.time and tasks.moment(times.read(one) or value)
  if not old or not id and not old.zone then return written_time(value) end
  if old.text == new.text or new.utc and old.utc == new.utc and (new.zone == "UTC" or new.zone == old.zone) then return nil end
  if new.zone and new.zone ~= "UTC" and new.zone ~= old.zone then return written_time(value) end
  if not id then return written_time(new.zone and tasks.moment(new.utc, old.zone).text or ("%sT%s[%s]"):format(new.date, new.time, old.zone)) end
  local name = id:find "[:;,]" and '"' .. id .. '"' or id
  local there = new.zone and times.clock(id, new.utc) or not new.zone and new
  local rest = there and (";TZID=%s:%s"):format(name, compact(there))
  -- The clocks of the zone may show the time twice.
  if rest and (not new.zone or tasks.moment((times.read(property("DUE" .. rest, 0)))).utc == new.utc) then return rest end
  return written_time(value)
end

--- Adds the VTIMEZONE of each zone of the IANA database that times name, and that the calendar does not define (3.6.5).
function icalendar.define_zones(root)
  local calendar = root.name == "VCALENDAR" and root or icalendar.all(root, "VCALENDAR")[1]
  local defined, first = {}, {}
  for _, zone in ipairs(icalendar.all(root, "VTIMEZONE")) do
    local id = find(zone, "TZID")
    if id then defined[id.value] = true end
  end
  for _, todo in ipairs(icalendar.all(root, "VTODO")) do
    for _, part in ipairs(todo) do
      local id, year = part.line and part.parameters.TZID, part.line and tonumber(part.value:match "^%d%d%d%d")
      if id and year and not defined[id] then first[id] = math.min(first[id] or year, year) end
    end
  end
  local ids = {}
  for id in pairs(first) do ids[#ids + 1] = id end
  table.sort(ids)
  for _, id in ipairs(ids) do
    local ok, text = pcall(tasks.vtimezone, id, math.tointeger(first[id]))
    if ok then
      local at = #calendar + 1
      for i, part in ipairs(calendar) do if not part.line then at = i break end end
      table.insert(calendar, at, icalendar.parse(text, "VTIMEZONE")[1])
    end
  end
  return root
end

local names = {
  text = "SUMMARY", notes = "DESCRIPTION", due = "DUE", start = "DTSTART", completed_at = "COMPLETED", priority = "PRIORITY",
  labels = "CATEGORIES", parent = "RELATED-TO", recurrence = "RRULE", url = "URL", key = "X-B2C-RUN-KEY",
}

local function set(todo, name, rest)
  local one, position
  if name == "RELATED-TO" then one, position = find_parent(todo) else one, position = find(todo, name) end
  -- Several properties may have the labels.
  if name == "CATEGORIES" then
    for i = #todo, 1, -1 do if todo[i].line and todo[i].name == name and i ~= position then table.remove(todo, i) end end
  end
  if not rest then
    if one then table.remove(todo, position) end
    return
  end
  local made = property(name .. rest, 0)
  if one then todo[position] = made return end
  -- Before the components inside, such as alarms.
  local place = #todo + 1
  for i, part in ipairs(todo) do if not part.line then place = i break end end
  table.insert(todo, place, made)
end

function icalendar.set_text(todo, name, text) set(todo, name, ":" .. escape(text)) end

--- Changes fields of a VTODO; false removes a field. `times` reads the times of its calendar.
function icalendar.change(todo, changes, times)
  for field, name in pairs(names) do
    local value = changes[field]
    if value == false then
      set(todo, name, nil)
    elseif value ~= nil then
      if field == "due" or field == "start" then
        local rest = changed_time(find(todo, name), value, times)
        if rest then set(todo, name, rest) end
        if field == "due" then set(todo, "DURATION", nil) end
      elseif field == "completed_at" then
        -- COMPLETED is a time in UTC (3.8.2.1).
        local moment = tasks.moment(value)
        set(todo, name, ":" .. (moment.utc or moment.date .. "T" .. (moment.time or "00:00:00") .. "Z"):gsub("[-:]", ""))
      elseif field == "labels" then
        local escaped = {}
        for i, label in ipairs(value) do escaped[i] = escape(label) end
        set(todo, name, ":" .. table.concat(escaped, ","))
      elseif field == "priority" or field == "recurrence" or field == "url" then
        set(todo, name, ":" .. tostring(value):gsub("[\r\n]", ""))
      else
        set(todo, name, ":" .. escape(tostring(value)))
      end
    end
  end
  if changes.completed == true then
    set(todo, "STATUS", ":COMPLETED")
    set(todo, "PERCENT-COMPLETE", ":100")
    if not find(todo, "COMPLETED") then set(todo, "COMPLETED", ":" .. now()) end
  elseif changes.completed == false then
    set(todo, "STATUS", ":NEEDS-ACTION")
    set(todo, "PERCENT-COMPLETE", nil)
    if changes.completed_at == nil then set(todo, "COMPLETED", nil) end
  end
  set(todo, "LAST-MODIFIED", ":" .. now())
  local sequence = find(todo, "SEQUENCE")
  if sequence then set(todo, "SEQUENCE", ":" .. (math.tointeger(tonumber(sequence.value)) or 0) + 1) end
end

--- A VTODO for a task.
function icalendar.todo(uid, task)
  local todo = { name = "VTODO" }
  for _, line in ipairs { "UID:" .. uid, "DTSTAMP:" .. now(), "CREATED:" .. now() } do todo[#todo + 1] = property(line, 0) end
  -- The order of the fields is the same each time.
  local order = { "text", "notes", "start", "due", "priority", "labels", "parent", "recurrence", "url", "key", "completed_at" }
  for _, field in ipairs(order) do
    if task[field] ~= nil then icalendar.change(todo, { [field] = task[field] }) end
  end
  if not task.text or task.text == "" then icalendar.change(todo, { text = " " }) end
  icalendar.change(todo, { completed = task.completed == true and true or nil })
  if not task.completed then set(todo, "STATUS", ":NEEDS-ACTION") end
  return todo
end

--- A VCALENDAR with a VTODO and its zones.
function icalendar.calendar(todo)
  local calendar = { name = "VCALENDAR" }
  for _, line in ipairs { "VERSION:2.0", "PRODID:-//b2c-run//tasks//EN" } do calendar[#calendar + 1] = property(line, 0) end
  calendar[#calendar + 1] = todo
  return icalendar.define_zones(calendar)
end

--- All components of that name inside.
function icalendar.all(component, name, found)
  found = found or {}
  for _, part in ipairs(component) do
    if not part.line then
      if part.name == name then found[#found + 1] = part end
      icalendar.all(part, name, found)
    end
  end
  return found
end

--- The task of a calendar with one task. Further VTODO components are changed occurrences of a repeated task (3.8.4.4).
function icalendar.master(component)
  local todos = icalendar.all(component, "VTODO")
  for _, todo in ipairs(todos) do if not find(todo, "RECURRENCE-ID") then return todo end end
  return todos[1]
end

--- The UID of a task, and the number of its version (3.8.7.4).
function icalendar.identity(todo)
  local uid, sequence = find(todo, "UID"), find(todo, "SEQUENCE")
  return uid and uid.value, sequence and math.tointeger(tonumber(sequence.value)) or 0
end

--- True for a changed occurrence of a repeated task.
function icalendar.is_occurrence(todo) return find(todo, "RECURRENCE-ID") ~= nil end

return icalendar
