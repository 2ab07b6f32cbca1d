-- The stock services at a server that answers wrongly, run by with_server.py hostile.

local b2c = require "b2c"
local http, json, tasks = b2c.http, b2c.json, b2c.tasks
local url = os.getenv "SERVICE_URL"

local function answers(list) http.post(url .. "/_control", { json = json.array(list) }) end
local function requests() return http.get(url .. "/_control").json() end

local function service(name)
  return { name = name, url = url, secret = "hostile", username = name == "caldav" and "alice" or nil, list = name == "github" and "a/b" or nil }
end

local function failure(f, ...)
  local ok, e = pcall(f, ...)
  if ok then error("expected an error", 2) end
  return e
end
local function has(text, part, what)
  if not tostring(text):find(part, 1, true) then error(("%s: expected '%s' in: %s"):format(what or "?", part, text), 2) end
end

local function rows(count)
  local i = 0
  return function()
    i = i + 1
    if i <= count then return { text = "row " .. i } end
  end
end

-- Answers that are no JSON, or other JSON: the message says what came, and from where.
local html = "<html><body><h1>Sign in to the hotel's network</h1></body></html>"
local wrong = { html, "", "null", "42", '"x"', '{"value":[1]}', '{"projects":null,"items":7}' }
for _, name in ipairs { "todoist", "microsoft", "github", "caldav" } do
  for _, body in ipairs(wrong) do
    answers { { match = " /", body = body, type = body == html and "text/html" or nil, status = name == "caldav" and 207 or 200 } }
    local e = failure(tasks.list, { service = service(name) })
    local what = name .. " " .. body
    if e.code ~= "unexpected_body" then error(("%s: got the code %s: %s"):format(what, e.code, e.message)) end
    has(e.message, "was answered", what)
    has(e.message, url, what)
    has(e.message, name == "caldav" and "expected XML" or "expected", what)
    assert(not e.message:find("nobody knows", 1, true), e.message)
  end

end

-- A page of HTML in place of the answer to new tasks leaves their fate open.
answers { { match = " /", body = html, type = "text/html" } }
local report = tasks.import(rows(2), { service = service "todoist", journal = false, settle_after = 0, retries = 0, unsettled = "skip" })
assert(report.added == 0 and report.unsettled == 2, tostring(report))
has(report.failures[1].reason, "expected an object in JSON", "reason")

-- Lists without an end.
answers { { match = "/me/todo/lists?", body = '{"value":[],"@odata.nextLink":"@HOST@/me/todo/lists?$top=100"}' } }
has(failure(tasks.lists, { service = service "microsoft" }).message, "the list has no end", "lists of lists")
answers {
  { match = "/tasks?", body = '{"value":[{"id":"1","title":"a"}],"@odata.nextLink":"@HOST@/me/todo/lists/l/tasks?$skip=1"}' },
  { match = "/me/todo/lists", body = '{"value":[{"id":"l","displayName":"T","wellknownListName":"defaultList"}]}' },
}
has(failure(tasks.list, { service = service "microsoft" }).message, "the list of tasks has no end: a page came again", "pages")
local issue = '{"number":%d,"title":"a"},'
local hundred = {}
for i = 1, 100 do hundred[i] = issue:format(i) end
answers { { match = "/issues?", body = "[" .. table.concat(hundred):sub(1, -2) .. "]" } }
has(failure(tasks.list, { service = service "github" }).message, "a page came again", "issues")

-- Next pages, hrefs and lists at another host get no credentials.
local other = "http://localhost:" .. url:match ":(%d+)$"
answers { { match = "/me/todo/lists", body = ('{"value":[],"@odata.nextLink":"%s/me/todo/lists"}'):format(other) } }
local e = failure(tasks.lists, { service = service "microsoft" })
has(e.message, ("names an address at %s, and credentials stay with %s"):format(other, url), "the next page elsewhere")
assert(#requests() == 1)
for _, part in ipairs { "@localhost", ".localhost" } do
  answers { { match = "/me/todo/lists", body = ('{"value":[],"@odata.nextLink":"%s%s/x"}'):format(part, url:match ":%d+$") } }
  e = failure(tasks.lists, { service = service "microsoft" })
  has(e.message, "credentials stay with " .. url, "a next page that continues the host")
  assert(#requests() == 1)
end
local multistatus = '<multistatus xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">%s</multistatus>'
local function response(href, props)
  return ("<response><href>%s</href><propstat><prop>%s</prop><status>HTTP/1.1 200 OK</status></propstat></response>"):format(href, props)
end
for _, props in ipairs {
  ("<current-user-principal><href>%s/p</href></current-user-principal>"):format(other),
  ("<c:calendar-home-set><href>%s/h/</href></c:calendar-home-set>"):format(other),
} do
  answers { { match = "PROPFIND", status = 207, type = "text/xml", body = multistatus:format(response("/", props)) } }
  e = failure(tasks.lists, { service = service "caldav" })
  has(e.message, "credentials stay with " .. url, "the principal or the home elsewhere")
  assert(#requests() == 1)
end
answers {
  { match = "PROPFIND", status = 307, headers = { Location = other .. "/" } },
}
e = failure(tasks.lists, { service = service "caldav" })
has(e.message, ("was answered 307: it points to %s, and credentials stay with %s"):format(other, url), "a redirect elsewhere")
has(e.hint, "put the new address into the setting services", "hint")
local calendar = response("/c/", "<resourcetype><collection/><c:calendar/></resourcetype>")
-- A redirect of new tasks ends the import, and no row may have been added.
answers {
  { match = "PROPFIND", status = 207, type = "text/xml", body = multistatus:format(calendar) },
  { match = "PUT", status = 308, headers = { Location = other .. "/" } },
}
e = failure(tasks.import, rows(3), { service = service "caldav", journal = false })
has(e.message, "0 added", "import with redirects")
has(e.message, "credentials stay with", "import with redirects")
-- A task at another host is not read there.
e = failure(tasks.get, other .. "/c/1.ics", { service = service "caldav" })
has(e.message, "credentials stay with " .. url, "a task elsewhere")

-- XML that is none, grows, or names files.
local doctype = '<!DOCTYPE x [%s]><multistatus xmlns="DAV:">&e;</multistatus>'
local bomb = '<!ENTITY a0 "ha"><!ENTITY e "&a9;">'
for i = 1, 9 do bomb = bomb .. ('<!ENTITY a%d "%s">'):format(i, ("&a%d;"):format(i - 1):rep(10)) end
for part, text in pairs {
  ["declares entities"] = doctype:format '<!ENTITY e SYSTEM "file:///etc/hostname">',
  ["expected XML"] = doctype:format(bomb),
  ["not defined"] = '<!DOCTYPE x SYSTEM "file:///etc/hostname"><multistatus xmlns="DAV:">&e;</multistatus>',
  ["nest more than 256"] = ("<a>"):rep(255) .. "<b><c/></b>" .. ("</a>"):rep(255),
  ["line 2"] = '<multistatus xmlns="DAV:">\n<response></multistatus>',
} do
  answers { { match = "PROPFIND", status = 207, type = "text/xml", body = text } }
  local begun = os.clock()
  e = failure(tasks.lists, { service = service "caldav" })
  has(e.message, part, "XML")
  has(e.message, "PROPFIND " .. url, "XML")
  assert(os.clock() - begun < 5, "XML takes too long")
end

-- A task that is no iCalendar is named by its address.
answers {
  { match = "PROPFIND", status = 207, type = "text/xml", body = multistatus:format(calendar) },
  { match = "GET", body = html, type = "text/html" },
}
has(failure(tasks.get, "1.ics", { service = service "caldav" }).message, url .. "/c/1.ics:1: expected a property", "iCalendar")
for _, part in ipairs { ";A=b", ',"b"' } do
  answers {
    { match = "PROPFIND", status = 207, type = "text/xml", body = multistatus:format(calendar) },
    { match = "GET", body = "BEGIN:VCALENDAR\r\nSUMMARY;A=\"b\"" .. part:rep(100000) .. ":x\r\nEND:VCALENDAR\r\n", type = "text/calendar" },
  }
  local begun = os.clock()
  has(failure(tasks.get, "1.ics", { service = service "caldav" }).message, "SUMMARY has more than 1,000 values of parameters", "iCalendar")
  assert(os.clock() - begun < 5, "parameters take too long")
end

-- A conflict, a lock, a full disk at a CalDAV server.
local function put(status, body)
  answers {
    { match = "PROPFIND", status = 207, type = "text/xml", body = multistatus:format(calendar) },
    { match = "PUT", status = status, body = body or "", type = "text/plain", times = status == 423 and 1 or 99 },
    { match = "PUT", status = 201 },
  }
end
put(409)
report = tasks.import(rows(1), { service = service "caldav", journal = false })
has(report.failures[1].reason, "is taken by something else", "409")
put(412)
report = tasks.import(rows(1), { service = service "caldav", journal = false })
has(report.failures[1].reason, "is taken by something else", "412")
put(423)
assert(tasks.import(rows(1), { service = service "caldav", journal = false }).added == 1)
put(507, "Insufficient storage\nx")
e = failure(tasks.import, rows(1), { service = service "caldav", journal = false })
has(e.message, "was answered 507: Insufficient storage", "507")
has(e.hint, "the disk of the service is full", "507")

-- Retry-After without an end.
for _, value in ipairs { "1e999", "99999999999999999999", "Wed, 25 Nov 2099 00:00:00 GMT" } do
  answers { { match = "POST /sync", status = 429, headers = { ["Retry-After"] = value } } }
  e = failure(tasks.import, rows(1), { service = service "todoist", journal = false })
  has(e.message, "was answered 429", value)
  has(e.hint, "it takes tasks again at ", value)
  assert(not e.hint:find("--wait", 1, true), e.hint)
end

-- Answers for other requests of a batch, and for one twice.
answers {
  { match = "/tasks?", body = '{"value":[]}' },
  { match = "/me/todo/lists", body = '{"value":[{"id":"l","displayName":"T","wellknownListName":"defaultList"}]}' },
  { match = "$batch", body = '{"responses":[{"id":"7","status":201,"body":{"id":"x","title":"?"}},{"id":{},"status":201},'
    .. '{"id":"1","status":201,"body":{"id":"a","title":"row 1"}},{"id":"1","status":400},{"id":"2","status":201,"body":null}]}', times = 1 },
  { match = "$batch", status = 400 },
}
report = tasks.import(rows(2), { service = service "microsoft", journal = false, settle_after = 0, retries = 0, unsettled = "skip" })
assert(report.added == 1, tostring(report))

-- Tokens of changes that are never known.
answers {
  { match = "PROPFIND", status = 207, type = "text/xml", body = multistatus:format(calendar) },
  { match = "REPORT", status = 403, type = "text/xml", body = "<error xmlns='DAV:'><valid-sync-token/></error>" },
}
assert(failure(tasks.changes, "old", { service = service "caldav" }).code == "token_too_old")
e = failure(tasks.changes, nil, { service = service "caldav" })
assert(e.code == "forbidden" and e.status == 403, e.code)
assert(failure(tasks.changes, nil, { service = service "github" }).code == "no_changes")

print "all hold"
