-- The time zones that calendars name: by a VTIMEZONE (RFC 5545, 3.6.5), as the IANA database, as Windows, or by an offset.

local b2c = require "b2c"
local tasks = b2c.tasks

local zones = {}

-- Formats name this module by its folder.
local folder = (...):match "^(.*%.)" or ""

-- Times of the calendar as numbers

--- The days since 1970. A year begins in March here.
local function days(year, month, day)
  local y = month <= 2 and year - 1 or year
  return 365 * y + y // 4 - y // 100 + y // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day - 1 - 719468
end

--- The seconds since 1970 of a clock that shows a date and a time.
local function seconds(date, time)
  local year, month, day = date:match "^(%d+)-(%d+)-(%d+)$"
  local hour, minute, second = time:match "^(%d+):(%d+):(%d+)$"
  local n = math.tointeger
  return days(n(year), n(month), n(day)) * 86400 + hour * 3600 + minute * 60 + second // 1
end

--- +01:00
local function text_of_offset(offset)
  local size = math.abs(offset)
  return ("%s%02d:%02d"):format(offset < 0 and "-" or "+", size // 3600, size // 60 % 60)
end

local function length(year, month)
  return month == 2 and (year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0) and 29 or 28) or
    (month == 4 or month == 6 or month == 9 or month == 11) and 30 or 31
end

-- Names

--- A name without what programs put around it: quotes, escapes, NULs.
local function plain(name) return (name:gsub("%z.*", ""):gsub("\\(.)", "%1"):gsub('^[%s"]+', ""):gsub('[%s"]+$', "")) end

--- No program writes a longer name, and each of its parts would be looked for.
local longest_name = 255

--- The name as messages show it.
local function shown(name) return #name > longest_name and name:sub(1, 60) .. "…" or name end

local known = {}
--- The name, if the IANA database has it.
local function of_database(name)
  if known[name] == nil then known[name] = pcall(tasks.moment, "2027-01-01T00:00:00Z", name) end
  return known[name] and name or nil
end

--- The place of a name of the IANA database with an area. Some programs put their name before it:
--- /example.org/20270101/Europe/Berlin.
local function place(name)
  local rest = name:gsub("^/+", "")
  while rest:find "/" do
    if of_database(rest) then return rest end
    rest = rest:gsub("^[^/]*/+", "")
  end
end

--- Letters alone, in lower case: programs write other signs between the words.
local function letters(name) return (name:lower():gsub("[^%w\128-\255]+", " "):gsub("^ ", ""):gsub(" $", "")) end

local windows
--- The zones by the names of Windows, and the lists of zones by the places that Windows shows.
local function windows_zones()
  if windows then return windows end
  windows = { names = {}, places = {} }
  for _, row in ipairs(require(folder .. "windows_zones")) do
    windows.names[letters(row[1])] = row[2]
    for shown in (row[3] or ""):gmatch "[^,]+" do
      local place = letters(shown)
      windows.places[place] = windows.places[place] or {}
      table.insert(windows.places[place], row[2])
    end
  end
  return windows
end

--- The zone of a name of Windows.
local function of_windows(name)
  local words = letters(name)
  -- Outlook tells two zones of one name apart by a number.
  local found = windows_zones().names[words] or windows_zones().names[words:gsub(" %d+$", "")]
  return found and of_database(found)
end

--- The zone of the places that Windows shows behind an offset: (UTC+01:00) Amsterdam, Berlin, … Older versions name other places
--- in another order. The zone with the most of them counts, if it has the offset in some part of the year.
local function of_places(rest, offset)
  local counts, best = {}, nil
  for shown in rest:gmatch "[^,/:]+" do
    for _, zone in ipairs(windows_zones().places[letters(shown)] or {}) do
      counts[zone] = (counts[zone] or 0) + 1
      if counts[zone] > (counts[best] or 0) then
        for _, date in ipairs { "2027-01-15", "2027-07-15" } do
          local ok, there = pcall(tasks.moment, date .. "T12:00:00Z", zone)
          if ok and seconds(there.date, there.time) - seconds(date, "12:00:00") == offset then best = zone end
        end
      end
    end
  end
  return best
end

--- The offset of names such as UTC, UTC+03:00, GMT+0100 and (UTC+03:00) Somewhere, in seconds, and the rest of the name.
local function offset_of(name)
  local inner, rest = name:match "^(%b())(.*)$"
  if inner then
    name, rest = inner:sub(2, -2), rest:gsub("^%s*Coordinated Universal Time.*$", "")
  else
    rest = ""
  end
  if name == "Z" or name:match "^tzone://.*/[Uu][Tt][Cc]$" then return 0, rest end
  local word, numbers = name:upper():match "^(%a*)(.*)$"
  if word ~= "UTC" and word ~= "GMT" and (word ~= "" or numbers == "") then return nil end
  if numbers == "" then return 0, rest end
  local sign, hours, minutes = numbers:match "^ ?([+-])(%d%d?)[:.]?(%d*)$"
  if not sign or #minutes ~= 0 and #minutes ~= 2 or tonumber(hours) > 14 or (tonumber(minutes) or 0) > 59 then return nil end
  return (sign == "-" and -1 or 1) * (hours * 3600 + (tonumber(minutes) or 0) * 60) // 1, rest
end

--- The zone of the IANA database that a name means, whoever writes it; nil if there is none.
function zones.named(name)
  name = plain(name)
  if #name > longest_name then return nil end
  local offset, rest = offset_of(name)
  if offset == 0 and rest == "" then return of_database "UTC" end
  return place(name) or of_windows(name) or offset and of_places(rest, offset) or of_database(name)
end

-- VTIMEZONE

local function value(component, name)
  for _, part in ipairs(component) do if part.line and part.name == name then return part.value end end
end

--- A time of a property as seconds of its clock; nil for anything else.
local function clock(text)
  local ok, moment = pcall(tasks.moment, text)
  return ok and seconds(moment.date, moment.time or "00:00:00") or nil
end

--- +0100, -073000; nil for more than a day.
local function offset(text)
  local sign, hours, minutes, rest = (text or ""):match "^%s*([+-]?)(%d%d):?(%d%d):?(%d*)%s*$"
  if not hours or tonumber(hours) > 23 or tonumber(minutes) > 59 then return nil end
  return (sign == "-" and -1 or 1) * (math.tointeger(hours) * 3600 + math.tointeger(minutes) * 60 + (math.tointeger(rest) or 0))
end

local weekdays = { SU = 0, MO = 1, TU = 2, WE = 3, TH = 4, FR = 5, SA = 6 }

--- The different numbers of a list, none beyond `most`: no zone has a rule of a million numbers.
local function numbers(text, most)
  local list, seen = {}, {}
  for number in (text or ""):gmatch "[+-]?%d+" do
    local value = math.tointeger(tonumber(number))
    if value and math.abs(value) <= most and not seen[value] then
      seen[value] = true
      list[#list + 1] = value
    end
  end
  return #list > 0 and list or nil
end

--- The parts of a rule that zones have (3.3.10): FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU.
local function rule(text, start)
  local parts = {}
  for name, part in text:upper():gmatch "([%w-]+)=([^;]*)" do parts[name] = part end
  if parts.FREQ ~= "YEARLY" then return nil end
  local date = os.date("!*t", start)
  local made = { months = numbers(parts.BYMONTH, 12) or { date.month }, interval = math.max(1, math.tointeger(tonumber(parts.INTERVAL)) or 1),
    month_days = numbers(parts.BYMONTHDAY, 31), first = date.year, time = start % 86400, position = numbers(parts.BYSETPOS, 31), count = tonumber(parts.COUNT) }
  for number, name in (parts.BYDAY or ""):gmatch "([+-]?%d*)(%u%u)" do
    made.day = { weekday = weekdays[name], number = math.tointeger(tonumber(number)) }
    if not made.day.weekday then return nil end
  end
  if not made.day and not made.month_days then made.month_days = { date.day } end
  -- UNTIL is in UTC (3.3.10). A day more or less plays no role, as the clocks change twice a year.
  made.last = parts.UNTIL and clock(parts.UNTIL)
  return made
end

--- The days of a month on which a rule sets the clocks.
local function days_of(rule, year, month)
  local all = {}
  local last = length(year, month)
  for day = 1, last do
    local fits = not rule.month_days
    for _, number in ipairs(rule.month_days or {}) do fits = fits or day == number or number < 0 and day == last + 1 + number end
    if fits and rule.day then
      fits = (days(year, month, day) + 4) % 7 == rule.day.weekday
      local number = rule.day.number
      if fits and number then fits = number > 0 and (day + 6) // 7 == number or number < 0 and (last - day) // 7 + 1 == -number end
    end
    if fits then all[#all + 1] = day end
  end
  if not rule.position then return all end
  local chosen = {}
  for _, position in ipairs(rule.position) do chosen[#chosen + 1] = all[position < 0 and #all + 1 + position or position] end
  return chosen
end

--- The changes of the clocks in a year, by one STANDARD or DAYLIGHT part.
local function add_changes(all, part, year)
  local function add(start) all[#all + 1] = { start = start, from = part.from, to = part.to } end
  for i, start in ipairs(part.starts) do if part.years[i] == year then add(start) end end
  local by = part.rule
  if not by or year < by.first or (year - by.first) % by.interval ~= 0 then return end
  if by.count and (year - by.first) // by.interval >= by.count then return end
  for _, month in ipairs(by.months) do
    for _, day in ipairs(days_of(by, year, month)) do
      local start = days(year, month, day) * 86400 + by.time
      if not by.last or start - 86400 <= by.last then add(start) end
    end
  end
end

--- The most parts of a definition, and changes of a part: zones have some 250 in all their history.
local most_changes = 500

--- The changes of the clocks of a VTIMEZONE; nil if it has none.
local function definition(component)
  local found = { parts = {}, years = {}, is_fixed = true }
  for _, part in ipairs(component) do
    local from, to = offset(value(part, "TZOFFSETFROM")), offset(value(part, "TZOFFSETTO"))
    local start = clock(value(part, "DTSTART") or "")
    if not part.line and to and start and #found.parts < most_changes then
      local made = { from = from or to, to = to, starts = { start } }
      for _, one in ipairs(part) do
        if one.name == "RDATE" then
          for date in one.value:gmatch "[^,/]+" do
            if #made.starts < most_changes then made.starts[#made.starts + 1] = clock(date) end
          end
        elseif one.name == "RRULE" then
          made.rule = rule(one.value, start)
        end
      end
      table.sort(made.starts)
      -- A calendar may name a time in each of thousands of years.
      made.years = {}
      for i, one in ipairs(made.starts) do made.years[i] = os.date("!*t", one).year end
      found.parts[#found.parts + 1] = made
      found.is_fixed = found.is_fixed and to == found.parts[1].to
    end
  end
  if not found.parts[1] then return nil end
  -- Before the first change the clocks show what the first part begins with.
  table.sort(found.parts, function(a, b) return a.starts[1] < b.starts[1] end)
  found.names = { value(component, "X-LIC-LOCATION"), value(component, "TZURL") }
  return found
end

--- The changes of a year and of the last change before it, in their order.
local function changes(of, year)
  if not of.years[year] then
    local all = {}
    for _, part in ipairs(of.parts) do
      for before = year - 1, year do add_changes(all, part, before) end
      -- Rules and dates that have ended long ago still count.
      for i = #part.starts, 1, -1 do
        if part.years[i] < year - 1 then
          all[#all + 1] = { start = part.starts[i], from = part.from, to = part.to }
          break
        end
      end
      local by = part.rule
      local last = by and (by.last and os.date("!*t", by.last).year or by.count and by.first + (by.count - 1) * by.interval)
      if last and last < year - 1 then
        add_changes(all, part, last)
        add_changes(all, part, last - 1)
      end
    end
    table.sort(all, function(a, b) return a.start < b.start end)
    of.years[year] = all
  end
  return of.years[year]
end

--- The offset at a time that the clocks show, and true if they leave it out: then it is that before (3.3.5).
local function offset_at(of, local_seconds)
  local current = of.parts[1].from
  for _, change in ipairs(changes(of, os.date("!*t", local_seconds).year)) do
    if change.start > local_seconds then break end
    if local_seconds < change.start + change.to - change.from then return change.from, true end
    current = change.to
  end
  return current
end

-- Times

--- The zones of a calendar: `read` gives the time of a TZID and a moment without a zone, and `clock` what its clocks show.
function zones.of(root)
  local definitions
  local function find(name)
    if not definitions then
      definitions = {}
      local function look(component)
        for _, part in ipairs(component) do
          if part.name == "VTIMEZONE" and not part.line then
            local id = plain(value(part, "TZID") or "")
            definitions[id:lower()] = definitions[id:lower()] or part
          elseif not part.line then
            look(part)
          end
        end
      end
      look(root)
    end
    local found = definitions[name:lower()]
    if found and found.line == nil and not found.parts then
      found = definition(found) or false
      definitions[name:lower()] = found
    end
    return found or nil
  end

  --- The time of the zone's clocks.
  local function in_zone(moment, zone, is_strict)
    local text = ("%sT%s[%s]"):format(moment.date, moment.time, zone)
    local ok, result = pcall(tasks.moment, text)
    if ok then return result.text end
    if is_strict then return text end
    -- The clocks leave the time out. It is read with the offset of the day before (3.3.5).
    local before = seconds(moment.date, moment.time) - 86400
    local there = tasks.moment(os.date("!%Y-%m-%dT%H:%M:%SZ", before), zone)
    local utc = tasks.moment(("%sT%s%s"):format(moment.date, moment.time, text_of_offset(seconds(there.date, there.time) - before))).utc
    return tasks.moment(utc, zone).text
  end

  --- The time by a VTIMEZONE, with the name of a zone that has the same offset then.
  local function defined(moment, found, name, is_strict)
    local at, is_left_out = offset_at(found, seconds(moment.date, moment.time))
    local utc = tasks.moment(moment.date .. "T" .. moment.time .. text_of_offset(at)).utc
    for _, other in ipairs { found.names[1] or name, found.names[2] or name, name } do
      local zone = zones.named(other)
      if zone and zone ~= "UTC" then
        local there = tasks.moment(utc, zone)
        if there.date == moment.date and there.time == moment.time then return there.text end
        if is_left_out and not pcall(tasks.moment, ("%sT%s[%s]"):format(moment.date, moment.time, zone)) then
          return in_zone(moment, zone, is_strict)
        end
      end
    end
    return utc, not found.is_fixed and ("the time zone '%s' has no name that is known; its times are read as instants"):format(shown(name)) or nil
  end

  --- The meaning of a TZID: the name of a zone, a VTIMEZONE, or an offset and the rest of the name. A name with an area means the
  --- zone of the IANA database, whose rules are newer than those of a file.
  local function meaning(name)
    if #name > longest_name then return nil, find(name) end
    local zone = place(name)
    local found = not zone and find(name)
    if zone or found then return zone, found end
    local fixed, rest = offset_of(name)
    zone = fixed and rest ~= "" and of_places(rest, fixed) or not fixed and (of_windows(name) or of_database(name))
    return zone, nil, not zone and fixed, rest
  end

  local of = {}

  --- The text of a time, and the reason if its zone is lost. `is_strict` keeps a time that the clocks leave out as it is written,
  --- so that the host refuses it.
  function of.read(id, moment, is_strict)
    local name = plain(id)
    if name == "" then return moment.text end
    local zone, found, fixed, rest = meaning(name)
    if zone then return in_zone(moment, zone, is_strict) end
    if found then return defined(moment, found, name, is_strict) end
    if fixed then
      return tasks.moment(moment.date .. "T" .. moment.time .. text_of_offset(fixed)).utc,
        rest ~= "" and ("the time zone '%s' is not known; its times are read with its offset"):format(name) or nil
    end
    return moment.text, ("the time zone '%s' is not known; its times are read as times without a zone"):format(shown(name))
  end

  --- The moment that the clocks of a TZID show at an instant; nil for an unknown zone.
  function of.clock(id, utc)
    local name = plain(id)
    local zone, found, fixed = meaning(name)
    if zone then return tasks.moment(utc, zone) end
    local instant = tasks.moment(utc)
    instant = seconds(instant.date, instant.time)
    for _, part in ipairs(found and found.parts or fixed and { { to = fixed } } or {}) do
      local there = tasks.moment(os.date("!%Y-%m-%dT%H:%M:%S", instant + part.to))
      if tasks.moment((of.read(id, there))).utc == utc then return there end
    end
  end

  return of
end

return zones
