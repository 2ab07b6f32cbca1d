local json = require "b2c.json"

-- Decoding and encoding return the same text, including null, empty arrays and number types.
for _, text in ipairs {
  '{"a":[1,2.5,"x",true,null],"b":{}}', '[]', '{}', '[[],{}]', '"é中🙂"', '9223372036854775807', 'null', '1.0',
} do
  assert(json.encode(json.decode(text)) == text, text .. " became " .. json.encode(json.decode(text)))
end

assert(math.type(json.decode("3")) == "integer")
assert(math.type(json.decode("3.0")) == "float")
assert(json.decode("[null]")[1] == json.null)
assert(tostring(json.null) == "null")
assert(json.encode({}) == "{}")
assert(json.encode(json.array {}) == "[]")
assert(json.encode({ 1, 2 }) == "[1,2]")
assert(json.encode({ b = 1, a = 2 }) == '{"a":2,"b":1}')
assert(json.encode({ a = 1 }, { pretty = true }):find("\n"))

local function message(f, ...)
  local ok, e = pcall(f, ...)
  assert(not ok, "expected an error")
  return e.message
end

local cycle = {}
cycle.self = cycle
assert(message(json.encode, { a = { print } }) 
  == "json.encode: argument 1: value.a[1] is a function, which JSON has nothing for")
assert(message(json.encode, 0 / 0):find("JSON has no number for"))
assert(message(json.encode, "\xff") == "json.encode: argument 1: value is a string that is not UTF-8: byte 0xFF at offset 0")
assert(message(json.encode, { a = { ["b\0c"] = 1 } }) 
  == "json.encode: argument 1: value.a has a name with a NUL character")
assert(message(json.encode, { ["\u{e9}"] = 1, ["e\u{301}"] = 2 }):find("twice, with the same letters"))
assert(message(json.encode, cycle):find("nested too deeply, or contains itself"))
assert(message(json.encode, { 1, 2, x = 3 }):find("has a number as a key"))
assert(message(json.encode, { 1, nil, 3, x = 4 }):find("has a number as a key"))
local proxy = setmetatable({}, { __len = function() return 2 ^ 53 end, __index = function(_, i) return i end })
assert(message(json.encode, { a = proxy })
  == "json.encode: argument 1: value is an empty table whose metatable has __len; only what a table itself holds is read")
assert(message(json.decode, '{"a":1,\n "a":2}'):find("line 2"))
assert(message(json.decode, "[1,"):find("line 1"))
assert(message(json.decode, 5) == "json.decode: argument 1: expected a string, got number")
