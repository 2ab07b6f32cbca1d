-- Nests JSON deeper than a parser's stack, and makes tables that contain themselves.
-- From: cjson in Redis (CVE-2018-11218), and parsers that recurse.
local e = require "support"
local json = require "b2c.json"
e.fails(json.decode, ("["):rep(1000000))
e.fails(json.decode, ("["):rep(100000) .. ("]"):rep(100000))
e.fails(json.decode, ('{"a":'):rep(100000) .. "1" .. ("}"):rep(100000))
local loop = {}
loop[1] = loop
e.fails(json.encode, loop)
e.fails(json.encode, { [setmetatable({}, { __tostring = error })] = 1 })
e.fails(json.encode, print)
local deep = {}
for _ = 1, 100000 do deep = { deep } end
e.fails(json.encode, deep)
e.held()
