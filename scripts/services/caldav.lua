-- Tasks of a CalDAV server (RFC 4791): Nextcloud Tasks, Radicale, Xandikos, iCloud, Fastmail.
--
--   b2c-run secrets set caldav                     (the password; at iCloud and Nextcloud an app password)
--   services = { caldav = { url = "https://cloud.example.org", username = "alice", list = "Home" } }   in settings.plist
--   b2c-run import tasks.csv --service caldav
--
-- `url` is the server, or the address of a calendar. Without `username`, the secret is a bearer token. `list` is the name or
-- the address of a calendar; without it, the first one with tasks. The ID of a task is its address.
--
-- It keeps all common fields. A time in a zone is written with the zone and its definition, a VTIMEZONE. The second of two equal
-- times of the clocks is written in UTC, with the zone in a separate parameter: there is no other form for it.

local b2c = require "b2c"
local http, xml = b2c.http, b2c.xml
local support, icalendar = require "support", require "icalendar"

--- The address that a reference of the server means.
local function resolve(base, reference)
  if reference:find "^%a[%w+.-]*://" then return reference end
  if reference:find "^//" then return base:match "^%a+:" .. reference end
  if reference:find "^/" then return base:match "^%a+://[^/?#]+" .. reference end
  return (base:gsub("[^/]*$", "")) .. reference
end

local function open(options)
  if not options.url then
    error({ code = "invalid_argument", message = "caldav: the option url is missing",
      hint = "put the address of the server into the setting services.caldav.url" }, 0)
  end
  if not support.origin(options.url) then
    error({ code = "invalid_argument", message = ("caldav: the option url is not a web address: %s"):format(options.url),
      hint = "write it as https://cloud.example.org" }, 0)
  end
  local auth = support.auth(options, "caldav")

  local function send(method, url, headers, body)
    -- Addresses of lists and tasks come from the server.
    support.same_host(url, options.url, "caldav")
    return http.request { method = method, url = url, headers = headers, body = body, auth = auth,
      raise = false, redirects = false }
  end

  --- Sends a request for properties or a report. Returns the responses by href, with the status and properties of each.
  local function dav(method, url, depth, body, most)
    local response = send(method, url, { Depth = tostring(depth), ["Content-Type"] = "application/xml; charset=utf-8" },
      '<?xml version="1.0" encoding="utf-8"?>' .. body)
    local status = response.status
    -- A redirect inside the host is followed; credentials go nowhere else (RFC 6764, 8).
    local target = status >= 300 and status < 400 and response.headers.location and resolve(url, response.headers.location)
    if target and support.origin(target) == support.origin(url) and (most or 5) > 0 then return dav(method, target, depth, body, (most or 5) - 1) end
    support.expect(response, method .. " " .. url, 207)
    local ok, root = pcall(xml.parse, response.body)
    if not ok then
      support.wrong_body(response, method .. " " .. url, "XML of WebDAV", (type(root) == "table" and root.message or tostring(root)):gsub("^xml.parse: ", ""))
    end
    if root.name ~= "multistatus" then
      support.wrong_body(response, method .. " " .. url, "XML of WebDAV", ("its root element is %s"):format(root.name))
    end
    local found = {}
    for _, one in ipairs(xml.find_all(root, "{DAV:}response")) do
      local props
      for _, stat in ipairs(xml.find_all(one, "{DAV:}propstat")) do
        if (xml.text(stat, "{DAV:}status") or ""):find " 200" then props = xml.find(stat, "{DAV:}prop") end
      end
      found[#found + 1] = { url = resolve(url, xml.text(one, "{DAV:}href") or ""), props = props,
        status = tonumber((xml.text(one, "{DAV:}status") or ""):match " (%d+)") }
    end
    return found, url, root
  end

  local properties = [[
<d:propfind xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:resourcetype/><d:displayname/>
<d:current-user-principal/><c:calendar-home-set/><c:supported-calendar-component-set/></d:prop></d:propfind>]]

  --- The end of the address of a calendar that `make_list` has made.
  local made_place = "/%x+%-%x+%-5%x+%-a%x+%-%x+/$"

  local new_calendar = [[
<ELEMENT xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:set><d:prop>KIND<d:displayname>NAME</d:displayname>
<c:supported-calendar-component-set><c:comp name="VTODO"/></c:supported-calendar-component-set></d:prop></d:set></ELEMENT>]]

  local function is_calendar(props)
    if not props or not xml.find(props, "resourcetype/calendar") then return false end
    local kinds = xml.find_all(props, "supported-calendar-component-set/comp")
    if #kinds == 0 then return true end
    for _, kind in ipairs(kinds) do if kind.attributes.name == "VTODO" then return true end end
    return false
  end

  local function calendar(one) return { id = one.url, name = xml.text(one.props, "displayname") or one.url:match "([^/]+)/?$" } end

  --- The folder of the user's calendars (RFC 6764, 6; RFC 4791, 6.2.1), or the calendar that `url` names.
  local function discover()
    local first = { options.url }
    if not options.url:match "^%a+://[^/]+/+[^/]" then first[2] = support.origin(options.url) .. "/.well-known/caldav" end
    local problem
    for _, address in ipairs(first) do
      local ok, found, url = pcall(dav, "PROPFIND", address, 0, properties)
      if ok and found[1] then
        local props = found[1].props
        if is_calendar(props) then return nil, calendar(found[1]) end
        for _ = 1, 2 do
          local home = props and xml.text(props, "calendar-home-set/href")
          if home then return support.same_host(resolve(url, home), options.url, "caldav") end
          local principal = props and xml.text(props, "current-user-principal/href")
          if not principal then break end
          url = resolve(url, principal)
          props = (dav("PROPFIND", url, 0, properties)[1] or {}).props
        end
      elseif not ok then
        problem = found
        if type(found) ~= "table" or found.status ~= 404 and found.status ~= 405 then error(found, 0) end
      end
    end
    error(problem or { code = "not_found", status = 404, message = ("caldav: there are no calendars at %s"):format(options.url),
      hint = "give the address of the CalDAV server, or of a calendar" }, 0)
  end

  local service, known = {}, nil

  function service.lists()
    local home, single = discover()
    if single then
      single.default = true
      known = { single }
      return known
    end
    known = {}
    for _, one in ipairs(dav("PROPFIND", home, 1, properties)) do
      if is_calendar(one.props) then known[#known + 1] = calendar(one) end
    end
    -- A calendar that `make_list` has made does not become the one of tasks that name none.
    local usual = known[1]
    for i = #known, 1, -1 do if not known[i].id:find(made_place) then usual = known[i] end end
    if usual then usual.default = true end
    return known
  end

  --- Makes a calendar for tasks (RFC 4791, 5.3.1; a server without MKCALENDAR has MKCOL of RFC 5689). Its address follows from
  --- the name: several machines make one calendar.
  function service.make_list(name)
    local home, single = discover()
    if single then
      error({ code = "cannot_change", message = ("caldav: %s is one calendar, beside which none is made"):format(single.id),
        hint = "put the address of the server into the setting services.caldav.url" }, 0)
    end
    local function body(element, kind)
      return (new_calendar:gsub("%u+", { ELEMENT = element, KIND = kind, NAME = xml.escape(name) }))
    end
    local function make(method, url, text)
      local response = send(method, url, { ["Content-Type"] = "application/xml; charset=utf-8" }, text)
      return response, response.status >= 200 and response.status < 300
    end
    local response, is_made
    known = nil
    for part = 1, 5 do
      local url = (home:find "/$" and home or home .. "/") .. support.uuid(name, part) .. "/"
      response, is_made = make("MKCALENDAR", url, body("c:mkcalendar", ""))
      if response.status == 405 or response.status == 501 then
        response, is_made = make("MKCOL", url, body("d:mkcol", "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"))
      end
      if is_made then return { id = url, name = name } end
      -- Another machine has just made it, or somebody has given the calendar at this address another name.
      local is_taken = false
      for _, one in ipairs(service.lists()) do
        if one.name == name then return one end
        is_taken = is_taken or one.id == url
      end
      if not is_taken then break end
    end
    error(support.failure(response, "MKCALENDAR in " .. home), 0)
  end

  local function folder(list)
    local url = list
    for _, one in ipairs(list and {} or known or service.lists()) do if one.default then url = one.id end end
    if not url then
      error({ code = "unknown_list", message = "caldav: the account has no calendar for tasks",
        hint = "make one in the calendar's program" }, 0)
    end
    return url:find "/$" and url or url .. "/"
  end

  -- The tasks that were seen: the UIDs by the addresses, and the addresses by the lists and the UIDs. The name of most files is the
  -- UID, which counts until the file is read.
  local uids, urls = {}, {}

  local function name_of(url)
    local name = url:match "([^/]+)%.ics$"
    return name and (name:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
  end

  --- Notes the addresses of a list before the tasks are read.
  local function expect_at(list, found)
    for _, url in ipairs(found) do
      local place = list .. "\n" .. (name_of(url) or "")
      urls[place] = urls[place] or url
    end
  end

  --- The ID of a task: its address. A UID that no task has here stays as it is.
  local function id_of(list, uid) return urls[list .. "\n" .. uid] or uid end

  local function task(url, text, etag, list)
    local root = icalendar.parse(text, url)
    local todo = icalendar.master(root)
    if not todo then return nil end
    local made = icalendar.task(todo, icalendar.times(root))
    made.id, made.etag, made.list, made.ics = url, etag, list or url:match "^(.*/)[^/]*$", text
    if made.uid then uids[url], urls[made.list .. "\n" .. made.uid] = made.uid, url end
    made.parent = made.parent and id_of(made.list, made.parent)
    return made
  end

  local function data(props, url, list)
    local text = props and xml.find(props, "calendar-data")
    if not text then return nil end
    local parts = {}
    for _, part in ipairs(text) do parts[#parts + 1] = part end
    return task(url, table.concat(parts), xml.text(props, "getetag"), list)
  end

  --- The tasks at some addresses, by one request (RFC 4791, 7.9).
  local function multiget(list, urls)
    local hrefs = {}
    for i, url in ipairs(urls) do hrefs[i] = "<d:href>" .. xml.escape(url:match "^%a+://[^/]+(.*)$") .. "</d:href>" end
    local found = dav("REPORT", list, 1, '<c:calendar-multiget xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop>'
      .. "<d:getetag/><c:calendar-data/></d:prop>" .. table.concat(hrefs) .. "</c:calendar-multiget>")
    local page = {}
    for _, one in ipairs(found) do page[#page + 1] = data(one.props, one.url, list) end
    return page
  end

  function service.pages(list, cursor)
    list = folder(list)
    if not cursor then
      cursor = { position = 1 }
      local found = dav("REPORT", list, 1, '<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:getetag/>'
        .. '</d:prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VTODO"/></c:comp-filter></c:filter></c:calendar-query>')
      for i, one in ipairs(found) do cursor[i] = one.url end
      expect_at(list, cursor)
    end
    if #cursor == 0 then return {} end
    local page, waiting = {}, cursor.waiting or {}
    for _, one in ipairs(multiget(list, table.move(cursor, cursor.position, math.min(cursor.position + 99, #cursor), 1, {}))) do
      -- The parent may be read later, under a name that is not its UID.
      local is_open = one.parent and not one.parent:find "://"
      table.insert(is_open and waiting or page, one)
    end
    cursor.position, cursor.waiting = cursor.position + 100, waiting
    if cursor.position <= #cursor then return page, cursor end
    for _, one in ipairs(waiting) do
      one.parent = id_of(list, one.parent)
      page[#page + 1] = one
    end
    return page
  end

  local function get(url, list)
    local response = send("GET", url)
    if response.status == 404 or response.status == 410 then return nil end
    support.expect(response, "GET " .. url, 200)
    return task(url, response.body, response.headers.etag, list)
  end
  function service.get(id, list)
    id = tostring(id)
    local found = get(id:find "://" and id or folder(list) .. id, list)
    local parent = found and found.parent
    if parent and not parent:find "://" and get(found.list .. parent .. ".ics", found.list) then
      found.parent = id_of(found.list, parent)
    end
    return found
  end

  --- The UID of the task with an ID. Other texts are UIDs.
  local function uid_of(id)
    if not id:find "://" then return id end
    if not uids[id] and support.origin(id) == support.origin(options.url) then get(id) end
    return uids[id] or name_of(id) or id
  end

  local function put(url, text, condition, list)
    local headers = { ["Content-Type"] = "text/calendar; charset=utf-8" }
    for name, value in pairs(condition) do headers[name] = value end
    local response = send("PUT", url, headers, text)
    if response.status == 200 or response.status == 201 or response.status == 204 then
      return task(url, text, response.headers.etag, list)
    end
    return nil, response
  end

  local function create(item)
    local list, fields = folder(item.list), {}
    for name, value in pairs(item.task) do fields[name] = value end
    if fields.parent then fields.parent = uid_of(fields.parent) end
    local uid = item.key or support.uuid(tostring(math.random(0)), os.time())
    local url = list .. uid .. ".ics"
    local made, response = put(url, icalendar.write(icalendar.calendar(icalendar.todo(uid, fields))), { ["If-None-Match"] = "*" }, list)
    if made then
      -- A server that has changed the text tells no entity tag (RFC 4791, 5.3.4).
      if not made.etag then made = get(url, list) or made end
      -- The caller's own name of the parent.
      made.parent = item.task.parent
      return { task = made }
    end
    -- The name is there already: an earlier request has made the task. A server may say 412 for other reasons, too.
    if response.status == 412 or response.status == 409 or response.status == 207 then
      local there = get(url, list)
      if there and there.uid == uid then return { task = there } end
      return { error = { code = "conflict", status = 409, message = ("the task's name %s is taken by something else"):format(url) } }
    end
    local failure = support.failure(response, "PUT " .. url)
    -- A condition of RFC 4791, 5.3.2.1, is about the task; any other 403 is about all of them.
    local condition = response.status == 403 and response.body:match "valid%-calendar%-[%a-]+" or response.body:match "max%-resource%-size"
    if condition then return { error = { status = 422, message = failure.message .. ": " .. condition } } end
    error(failure, 0)
  end

  function service.create(batch)
    local results = {}
    for i, item in ipairs(batch) do results[i] = create(item) end
    return results
  end

  --- Moves a task to another calendar (RFC 4918, 9.9). Returns the task there, which has another address.
  local function move(old, list)
    -- Not all servers heed If-Match of MOVE.
    local current = get(old.id, old.list) or support.gone(old.id)
    if old.etag and current.etag ~= old.etag then support.changed(old.id) end
    local url = folder(list) .. old.id:match "([^/]+)$"
    local response = send("MOVE", old.id, { Destination = url, Overwrite = "F", ["If-Match"] = old.etag })
    if response.status == 405 or response.status == 501 then
      error({ code = "cannot_change", status = response.status,
        message = ("%s: the server moves no tasks to another calendar"):format(old.id), hint = "move it in the calendar's program" }, 0)
    end
    support.expect(response, "MOVE " .. old.id, 201, 204)
    return service.get(url, list)
  end

  --- Raises the error of a response to a request with If-Match. A task that is gone has no entity tag, so that a server may answer 412.
  local function refuse(response, method, old)
    local status = response.status
    if status == 404 or status == 410 or status == 412 and not get(old.id, old.list) then support.gone(old.id) end
    if status == 412 then support.changed(old.id) end
    error(support.failure(response, method .. " " .. old.id), 0)
  end

  --- The list, if the server moves no tasks.
  function service.fixed()
    local allowed = send("OPTIONS", (discover()) or options.url).headers.allow
    return allowed and not allowed:upper():find "MOVE" and { "list" } or {}
  end

  function service.update(old, changes)
    local list = changes.list
    if list and folder(list) ~= folder(old.list) then
      local rest = {}
      for field, value in pairs(changes) do if field ~= "list" then rest[field] = value end end
      return move(next(rest) and service.update(old, rest) or old, list)
    end
    local current = old.ics and old.etag and old or get(old.id, old.list) or support.gone(old.id)
    local root = icalendar.parse(current.ics, old.id)
    local written = {}
    for field, value in pairs(changes) do written[field] = value end
    if written.parent then written.parent = uid_of(written.parent) end
    icalendar.change(icalendar.master(root), written, icalendar.times(root))
    local made, response = put(old.id, icalendar.write(icalendar.define_zones(root)), { ["If-Match"] = old.etag or current.etag }, old.list)
    if made then
      if not made.etag then made = get(old.id, old.list) or made end
      made.parent = made.parent and (changes.parent or old.parent or made.parent)
      return made
    end
    refuse(response, "PUT", old)
  end

  function service.delete(old)
    local response = send("DELETE", old.id, { ["If-Match"] = old.etag })
    if response.status ~= 200 and response.status ~= 204 then refuse(response, "DELETE", old) end
  end

  function service.find(key, list)
    return get(folder(list) .. key .. ".ics")
  end

  --- The changes since a token (RFC 6578).
  function service.changes(list, token)
    list = folder(list)
    local body = ('<d:sync-collection xmlns:d="DAV:"><d:sync-token>%s</d:sync-token><d:sync-level>1</d:sync-level>'
      .. "<d:prop><d:getetag/></d:prop></d:sync-collection>"):format(token and xml.escape(token) or "")
    local ok, found, _, root = pcall(dav, "REPORT", list, 1, body)
    if not ok then
      local status = type(found) == "table" and found.status
      -- Servers do not agree about a token that they do not know any more.
      if token and (status == 403 or status == 409 or status == 412 or status == 500) then
        error({ code = "token_too_old", status = status, message = "caldav: the server does not know the token any more" }, 0)
      end
      error(found, 0)
    end
    local urls, removed = {}, {}
    for _, one in ipairs(found) do
      if one.status == 404 or one.status == 410 then
        removed[#removed + 1] = one.url
      elseif one.url ~= list then
        urls[#urls + 1] = one.url
      end
    end
    local changed = {}
    for i = 1, #urls, 100 do
      for _, one in ipairs(multiget(list, table.move(urls, i, math.min(i + 99, #urls), 1, {}))) do changed[#changed + 1] = one end
    end
    return changed, removed, xml.text(root, "{DAV:}sync-token")
  end

  return service
end

return {
  summary = "a CalDAV server, such as Nextcloud, Radicale or iCloud",
  fields = { "text", "notes", "completed", "completed_at", "due", "start", "priority", "labels", "list", "parent", "recurrence", "url", "key" },
  batch = 1, concurrency = 4, idempotency = "own_id",
  settings = { "url", "username", "secret", "list" },
  open = open,
}
