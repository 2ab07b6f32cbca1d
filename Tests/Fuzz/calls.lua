-- Calls functions and methods of the API as the bytes say, with values that fit the declarations and values that do not.
-- The same bytes make the same calls.

-- luacheck: ignore 212 631
local b2c, declarations, bytes, most_seconds, before_call, is_slow = ...
local async = b2c.async

local position = 0

-- The next byte of the input, below the limit; 0 after the end.
local function pick(limit)
  position = position + 1
  return (bytes:byte(position) or 0) % limit
end

local function one_of(list) return list[pick(#list) + 1] end

-- The objects that calls have returned, by their types.
local objects = {}
local function keep(name, object)
  objects[name] = objects[name] or {}
  table.insert(objects[name], object)
end

local function try(name, f, ...)
  local ok, object = pcall(f, ...)
  if ok and object ~= nil then keep(name, object) end
end
try("settings", function() return b2c.settings end)
try("secret", b2c.jose.encrypt, "content", { kty = "oct", k = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE" })
try("null", function() return b2c.json.null end)
if pick(4) == 0 then try("account", b2c.tenant.sign_in) end

-- Every value below is made when it is taken: a table that one call has changed is not for the next one.

local function cycle(key)
  local t = {}
  t[key] = t
  return t
end

local function nested(depth, key)
  local t = {}
  for _ = 1, depth do t = { [key] = t } end
  return t
end

-- A table with 2 ^ depth ways through it.
local function shared(depth, named)
  local t = { "leaf" }
  for _ = 1, depth do t = named and { a = t, b = t } or { t, t } end
  return t
end

local function raise() error("a metamethod") end

local function repeated(count, value)
  local t = {}
  for i = 1, count do t[i] = value end
  return t
end

local numbers = {
  0 / 0, 1 / 0, -1 / 0, -0.0, 0, 1, -1, 2, 0.5, 1e308, -1e308, 5e-324, 2 ^ 31, -2 ^ 31, 2 ^ 32, 2 ^ 53, 2 ^ 53 + 2, 2 ^ 63, -2 ^ 63,
  math.mininteger, math.maxinteger, 1 << 31, 1 << 53, 70000, 1e10, 1790000000, 255, 65536,
}

local texts = {
  "", "\0", "a\0b", "\xff\xfe", "caf\xe9", "\u{1F600}\u{202E}\u{301}", "%s%n%d", "../../../etc/passwd", "-", "/", "~", ".", "*", "?",
  "{", "[[[[", "<a>", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "2027-01-31", "2027-01-31T09:00[Europe/Berlin]", "FREQ=DAILY;COUNT=1e9",
  "http://127.0.0.1:9/", "http://[::1]:0", "https://localhost:99999/", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "1e999", "0x1p53", "nan",
  "true", "alice", "Wonderland-1", "signIn", "openid", "-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----\n", "\r\n\r\n", "a=b&c=d",
  "5..1", "9999999999/s", "1d", "text", "\27[2J", "name", "ES256", "RS256", "dir", "A256GCM",
}

local long_texts = {
  function() return ("a"):rep(70000) end,
  function() return ("\xff"):rep(70000) end,
  function() return ("[" ):rep(70000) end,
  function() return ("<a>"):rep(23334) end,
  function() return ("e\u{301}"):rep(23334) end,
  function() return ("a.b/"):rep(17500) end,
  function() return ("\n"):rep(70000) end,
  function() return ("\0"):rep(70000) end,
  function() return ("A,\""):rep(23334) end,
  function() return ("%"):rep(70000) end,
  function() return ("=;, "):rep(17500) end,
}

local lying = {
  function() return setmetatable({}, { __len = function() return 2 ^ 53 end, __index = function(_, key) return key end }) end,
  function() return setmetatable({ "a" }, { __len = raise, __index = raise, __pairs = raise, __newindex = raise, __call = raise, __tostring = raise }) end,
  function() return setmetatable({}, { __len = function() return math.maxinteger end, __name = "a\0b", __metatable = 5 }) end,
  function() return setmetatable({}, { __index = b2c, __pairs = function() return next, b2c end }) end,
  function() return setmetatable({ 1, 2 }, { __eq = raise, __lt = raise, __gc = nil, __close = raise, __mode = "kv" }) end,
  function() return setmetatable({}, { __tostring = function() return cycle(1) end }) end,
  function() return setmetatable({}, { __tostring = function() return ("x"):rep(70000) end }) end,
  function()
    local t = setmetatable({}, {})
    getmetatable(t).__index = t
    return t
  end,
}

local tables = {
  function() return {} end,
  function() return cycle(1) end,
  function() return cycle "a" end,
  function() return cycle(one_of { "text", "keys", "headers", "name", "kty", "claims", "options", "file" }) end,
  function()
    local t = {}
    t[t] = t
    return t
  end,
  function() return nested(300, 1) end,
  function() return nested(5000, "a") end,
  function() return shared(12) end,
  function() return shared(60) end,
  function() return shared(60, true) end,
  function() return { 1, nil, 3 } end,
  function() return { [2 ^ 53] = 1, [1] = 2 } end,
  function()
    local t = {}
    for i = 0, 62 do t[1 << i] = i end
    return t
  end,
  function() return { [1.5] = 1, [true] = 2, [print] = 3, [{}] = 4, [math.mininteger] = 5 } end,
  function() return { ["a\0b"] = 1, ["\xff"] = 2, [""] = 3, [("k"):rep(70000)] = 4 } end,
  function() return repeated(20000, "a") end,
  function() return repeated(20000, {}) end,
  function() return repeated(300, cycle(1)) end,
  function() return b2c.json.array() end,
  function() return b2c.json.array(cycle(1)) end,
  function() return b2c end,
  function() return b2c.jose end,
  function() return one_of(lying)() end,
  function() return one_of(lying)() end,
  function() return { one_of(lying)(), one_of(lying)() } end,
  function() return { e = one_of(numbers), [1] = one_of(numbers) } end,
  function() return { one_of(texts), one_of(texts) } end,
  function() return _G end,
}

local functions = {
  function() return function() end end,
  function() return function(...) return ... end end,
  function() return raise end,
  function() return function() error(cycle(1)) end end,
  function() return function() error() end end,
  function() return function() error(setmetatable({}, { __tostring = raise })) end end,
  function() return function() return cycle(1) end end,
  function() return function() return one_of(lying)() end end,
  function() return function() return shared(60) end end,
  function() return function() async.sleep(0.001) return 1 end end,
  function() return function() async.sleep(60) end end,
  function() return coroutine.yield end,
  function() return function() return coroutine.yield(1) end end,
  function() return coroutine.wrap(function() coroutine.yield(1) end) end,
  function() return function() return "stop", "hide" end end,
  function() return function() return ("x"):rep(70000) end end,
  function() return print end,
  function() return setmetatable end,
  function() return string.rep end,
  function() return pcall end,
  function() return next end,
  function() return b2c.json.encode end,
  function() return b2c.async.all end,
  function() return b2c.tasks.add end,
}

local others = {
  function() return coroutine.create(print) end,
  function() return (coroutine.running()) end,
  function()
    local dead = coroutine.create(error)
    coroutine.resume(dead)
    return dead
  end,
  function() return io.stdout end,
  function() return b2c.json.null end,
  function() return b2c.settings end,
  function() return true end,
  function() return false end,
  function() return nil end,
}

local function odd()
  local kind = pick(8)
  if kind == 0 then return one_of(numbers) end
  if kind == 1 then return one_of(texts) end
  if kind == 2 then return one_of(long_texts)() end
  if kind <= 4 then return one_of(tables)() end
  if kind == 5 then return one_of(functions)() end
  if kind == 6 then
    local names = {}
    for name in pairs(objects) do names[#names + 1] = name end
    table.sort(names)
    return #names > 0 and one_of(objects[one_of(names)]) or nil
  end
  return one_of(others)()
end

local value

local function members(fields, depth)
  local t = {}
  local names = {}
  for name in pairs(fields) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    if fields[name].required then t[name] = value(fields[name], depth + 1) end
  end
  for _ = 1, #names > 0 and pick(5) or 0 do
    local name = one_of(names)
    t[name] = value(fields[name], depth + 1)
  end
  if pick(12) == 0 then t[one_of(texts)] = odd() end
  if pick(24) == 0 then t.a_cycle, t[1] = t, t end
  return t
end

local function list(element, depth)
  local t = {}
  for i = 1, pick(4) do t[i] = value(element, depth + 1) end
  if pick(12) == 0 then t[#t + 1] = t end
  if pick(12) == 0 then t[one_of(numbers) ~= 0 and 7 or 9] = odd() end
  return t
end

-- A value of the type, or with some luck another one.
function value(type, depth)
  if depth > 6 or pick(4) == 0 then return odd() end
  local kind = type.kind
  if not type.required and pick(6) == 0 then return nil end
  if kind == "string" then return pick(8) == 0 and one_of(long_texts)() or one_of(texts) end
  if kind == "integer" or kind == "number" then return one_of(numbers) end
  if kind == "boolean" then return pick(2) == 0 end
  if kind == "choice" then return one_of(type.words) end
  if kind == "function" or kind == "callback" then return one_of(functions)() end
  if kind == "either" then return value(one_of(type.parts), depth) end
  if kind == "list" then return list(type.element, depth) end
  if kind == "options" then return members(type.members, depth) end
  if kind == "record" then
    local record = declarations.records[type.name]
    return record and members(record.members, depth) or odd()
  end
  if kind == "map" then
    local t = {}
    for _ = 1, pick(4) do t[one_of(texts)] = value(type.element, depth + 1) end
    return t
  end
  if kind == "object" and objects[type.name] then return one_of(objects[type.name]) end
  return odd()
end

-- All functions: { name, the type of the object or nil, the declaration }.
local callable = {}
local module_names = {}
for name in pairs(declarations.modules) do module_names[#module_names + 1] = name end
table.sort(module_names)
local function add_all(fields, owner)
  local names = {}
  for name, field in pairs(fields) do
    if field.kind == "api" then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do callable[#callable + 1] = { name = name, owner = owner, declaration = fields[name] } end
end
for _, name in ipairs(module_names) do
  if name ~= "(test)" then add_all(declarations.modules[name].members, nil) end
end
local object_names = {}
for name in pairs(declarations.objects) do object_names[#object_names + 1] = name end
table.sort(object_names)
for _, name in ipairs(object_names) do add_all(declarations.objects[name].members, name) end

local function find(entry)
  local declaration = entry.declaration
  if entry.owner and objects[entry.owner] then
    local object = one_of(objects[entry.owner])
    return object[entry.name], object
  end
  local place = b2c
  for part in declaration.name:gmatch "[^.:]+" do place = place and place[part] end
  return place
end

local function call(entry)
  local declaration = entry.declaration
  local found, f, object = pcall(find, entry)
  if not found or f == nil then return end
  local arguments, count = {}, #declaration.parameters
  for i, parameter in ipairs(declaration.parameters) do arguments[i] = value(parameter, 0) end
  if pick(16) == 0 then
    count = count + 1
    arguments[count] = odd()
  end
  if object and declaration.method then
    table.insert(arguments, 1, object)
    count = count + 1
    if pick(32) == 0 then arguments[1] = odd() end
  end
  before_call(declaration.name)
  local start = os.clock()
  local results = table.pack(pcall(async.timeout, 0.05, function() return f(table.unpack(arguments, 1, count)) end))
  local seconds = os.clock() - start
  if seconds > most_seconds then is_slow(declaration.name, seconds, arguments) end
  if results[1] then
    for i, type in ipairs(declaration.results) do
      local result = results[i + 1]
      if result ~= nil and type.kind == "object" then keep(type.name, result) end
      if type.kind == "string" and _G.type(result) == "string" and #result < 1000 then texts[#texts + 1] = result end
    end
    -- Fields of objects are computed, and so are those of tables of the API.
    local first = results[2]
    local type = declaration.results[1]
    if type and type.kind == "object" and declarations.objects[type.name] then
      for name in pairs(declarations.objects[type.name].members) do pcall(function() return first[name] end) end
      if pick(8) == 0 then pcall(function() first[one_of(texts)] = odd() end) end
    end
    if pick(4) == 0 then pcall(tostring, first) end
  else
    pcall(tostring, results[2])
  end
end

local calls = 0
while position < #bytes and calls < 64 do
  calls = calls + 1
  call(callable[(pick(256) * 256 + pick(256)) % #callable + 1])
end
return calls
