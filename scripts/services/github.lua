-- Tasks as issues of a repository on GitHub (REST API).
--
--   b2c-run secrets set github                     (a token that may write issues)
--   b2c-run import tasks.csv --service github --set services.github.list=owner/repository
--
-- `list` is a repository. A comment in the text of an issue, which nobody sees, has the row's key, by which an issue is
-- found again. GitHub asks for one request at a time, and a second between two that make something: an import of 1,000
-- tasks takes 20 minutes.
--
-- It keeps text, notes, completed, labels, and the key of a task at its source, which is in another such comment. GitHub honors no
-- conditions of changes (If-Match), so that an issue has no entity tag, and its API removes no issues.

local b2c = require "b2c"
local http = b2c.http
local support = require "support"

local marker, key_marker = "<!-- b2c-run:%s -->", "<!-- b2c-run-key:%s -->"

--- The text of an issue. A key in a comment has no ">", which would end the comment.
local function body_of(notes, row_key, key)
  local escaped = key and key:gsub("[%%<>]", function(c) return ("%%%02X"):format(c:byte()) end)
  local markers = {}
  if row_key then markers[1] = marker:format(row_key) end
  if key then markers[#markers + 1] = key_marker:format(escaped) end
  if not markers[1] then return notes or "" end
  return (notes and notes .. "\n\n" or "") .. table.concat(markers, "\n")
end

--- The notes, the key of the row and the key at the source of the text of an issue.
local function parts_of(body)
  local row_key, key = body:match "<!%-%- b2c%-run:([%w-]+) %-%->", body:match "<!%-%- b2c%-run%-key:([^>]*) %-%->"
  local notes = body:gsub("%s*<!%-%- b2c%-run:[%w-]+ %-%->%s*", ""):gsub("%s*<!%-%- b2c%-run%-key:[^>]* %-%->%s*", "")
  return notes, row_key, key and key:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
end

local function open(options)
  local url = options.url or "https://api.github.com"
  local auth = support.auth(options, "github")
  local service = {}

  local function send(method, path, body)
    local address = path:find "^%a+://" and path or url .. path
    return http.request { method = method, url = address, json = body, auth = auth, raise = false, redirects = false,
      headers = { Accept = "application/vnd.github+json", ["X-GitHub-Api-Version"] = "2022-11-28" } }, method .. " " .. address
  end

  --- As support.expect; a limit without a time lasts a minute.
  local function expect(response, what, ...)
    for _, status in ipairs { ... } do if response.status == status then return response end end
    local failure = support.failure(response, what)
    local is_limit = response.status == 429 or response.status == 403 and (failure.message:lower():find "rate limit" or failure.retry_after)
    if is_limit then failure.status, failure.retry_after = 429, failure.retry_after or 60 end
    error(failure, 0)
  end

  local function repository(list)
    list = list or options.list
    if not list then error({ code = "unknown_list", message = "github: no repository is named", hint = "set services.github.list to owner/repository" }, 0) end
    if not list:find "^[%w._-]+/[%w._-]+$" then
      error({ code = "unknown_list", message = ("github: '%s' is not a repository"):format(list), hint = "write owner/repository" }, 0)
    end
    return list
  end

  local function task(issue, list)
    local notes, row_key, key = parts_of(support.text(issue.body) or "")
    local labels = {}
    for i, label in ipairs(support.object(issue.labels)) do labels[i] = type(label) == "table" and label.name or label end
    return support.task {
      id = issue.number, text = issue.title, notes = notes, completed = issue.state == "closed",
      completed_at = type(issue.closed_at) == "string" and issue.closed_at or nil, labels = labels, list = list,
      url = issue.html_url, date = issue.updated_at, key = key, row_key = row_key, raw = issue,
    }
  end

  function service.lists()
    if options.list then return { { id = repository(), name = options.list, default = true } } end
    local lists, page, read = {}, 1, {}
    repeat
      local response, what = send("GET", "/user/repos?per_page=100&page=" .. page)
      local found = support.json(expect(response, what, 200), what, "list")
      for _, one in ipairs(found) do if one.has_issues ~= false then lists[#lists + 1] = { id = one.full_name, name = one.full_name } end end
      page = page + 1
      if found[1] then support.once(read, tostring(found[1].full_name), "github") end
    until #found < 100
    return lists
  end

  --- GitHub's API moves no issues to another repository.
  function service.fixed() return { "list" } end

  function service.pages(list, cursor)
    list, cursor = repository(list), cursor or 1
    local path = ("/repos/%s/issues?state=all&sort=created&direction=desc&per_page=100&page=%d"):format(list, cursor)
    local response, what = send("GET", path)
    local found, page = support.json(expect(response, what, 200), what, "list"), {}
    -- Pull requests are issues to this API.
    for _, issue in ipairs(found) do if not issue.pull_request then page[#page + 1] = task(issue, list) end end
    return page, #found == 100 and cursor + 1 or nil
  end

  local function patch(number, list, body)
    local response, what = send("PATCH", ("/repos/%s/issues/%d"):format(list, number), body)
    if response.status == 404 or response.status == 410 then support.gone(number) end
    return task(support.json(expect(response, what, 200), what), list)
  end

  function service.create(batch)
    local results = {}
    for i, item in ipairs(batch) do
      local list, new = repository(item.list), item.task
      local response, what = send("POST", ("/repos/%s/issues"):format(list), { title = new.text, labels = new.labels,
        body = body_of(new.notes, item.key or "-", new.key) })
      local issue = support.json(expect(response, what, 201), what)
      if not math.tointeger(issue.number) or not support.text(issue.title) then support.wrong_body(response, what, "an issue with its number and title") end
      local made = task(issue, list)
      results[i] = { task = made }
      -- A new issue is open.
      if new.completed then
        local ok, closed = pcall(patch, made.id, list, { state = "closed" })
        local failure = not ok and (type(closed) == "table" and support.later(closed) or type(closed) ~= "table" and { code = "unknown", message = tostring(closed) })
        results[i] = failure and { error = failure } or { task = ok and closed or made }
      end
    end
    return results
  end

  --- The issues, page by page: each has its key in a comment.
  function service.find_all(_, list, cursor) return service.pages(list, cursor) end

  function service.get(id, list)
    list = repository(list)
    local response, what = send("GET", ("/repos/%s/issues/%s"):format(list, id))
    if response.status == 404 or response.status == 410 then return nil end
    return task(support.json(expect(response, what, 200), what), list)
  end

  function service.update(old, changes)
    local list, body = repository(old.list), {}
    if changes.text then body.title = changes.text end
    if changes.labels ~= nil then body.labels = changes.labels or b2c.json.array {} end
    if changes.completed ~= nil then body.state = changes.completed and "closed" or "open" end
    if changes.notes ~= nil or changes.key ~= nil then
      -- The text is read again, because somebody may have changed the other parts of it.
      local current = service.get(old.id, list) or support.gone(old.id)
      body.body = body_of(support.changed_field(current, changes, "notes"), current.row_key, support.changed_field(current, changes, "key"))
    end
    return next(body) and patch(old.id, list, body) or service.get(old.id, list) or support.gone(old.id)
  end

  function service.delete(old)
    error({ code = "cannot_change", status = 405, message = ("github: the issue %s cannot be removed"):format(old.id),
      hint = "complete it instead" }, 0)
  end

  return service
end

return {
  summary = "issues of a repository on GitHub",
  fields = { "text", "notes", "completed", "labels", "list", "key" }, removes = false,
  longest = { text = 256, notes = 65000 }, concurrency = 1, interval = 1, idempotency = "find",
  settings = { "url", "list", "secret" },
  open = open,
}
