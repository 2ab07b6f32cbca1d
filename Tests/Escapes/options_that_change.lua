-- Passes options with metamethods, to show one value to the check and another to the call.
-- From: double fetches (CWE-367) of tables: __index, __pairs and __len of options.
local e = require "support"
local http = require "b2c.http"
local count = 0
local options = setmetatable({}, {
  __index = function(_, key)
    count = count + 1
    if key == "file" then return count % 2 == 1 and "mine.txt" or e.outside .. "/canary.txt" end
  end,
  __pairs = function() return next, { file = e.outside .. "/canary.txt" }, nil end,
})
e.fails(http.post, e.listener, options)
local address = setmetatable({}, { __index = function() return e.listener end })
e.fails(http.request, address)
e.held()
