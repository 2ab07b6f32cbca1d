-- Writes an address so that the check sees an allowed host and the connection goes to another host.
-- From: parser differences (Orange Tsai, 2017), userinfo, numbers for addresses; Deno's CVE-2024-27932 with suffixes.
local e = require "support"
local b2c = require "b2c"
local host, port = b2c.tenant.url:match "^http://([^:/]+):(%d+)"
local target = "127.0.0.1:" .. e.port
for _, url in ipairs {
  "http://" .. host .. ":" .. port .. "@" .. target .. "/", "http://" .. host .. "@" .. target, "http://a:b@" .. target,
  "http://" .. target .. "#@" .. host .. ":" .. port, "http://" .. target .. "?@" .. host .. ":" .. port,
  "http://" .. target .. "\\@" .. host .. ":" .. port, "http://" .. target .. "/@" .. host .. ":" .. port,
  "http://" .. host .. ":" .. port .. "\\@" .. target, "http://" .. host .. ":" .. port .. "#@" .. target .. "@",
  "http://127.1:" .. e.port, "http://2130706433:" .. e.port, "http://0x7f.0.0.1:" .. e.port, "http://0177.0.0.1:" .. e.port,
  "http://[::ffff:127.0.0.1]:" .. e.port, "http://0.0.0.0:" .. e.port, "http://127.0.0.1.:" .. e.port, "http://localhost.:" .. e.port,
  "http://\u{ff11}27.0.0.1:" .. e.port, "http://loc\u{430}lhost:" .. e.port, "http://\u{24db}ocalhost:" .. e.port,
  "http://" .. host .. "\t:" .. e.port, "http://" .. host .. "\n@" .. target, "http:" .. target, "http:/" .. target, "http:///" .. target,
  "HTTP://" .. target, "hTtP://" .. target, " http://" .. target, "http://" .. host .. ":" .. port .. "\0@" .. target,
  "http://localhost:" .. e.port, "http://" .. host .. ":0" .. e.port, "http://" .. host .. ":" .. e.port .. "/" .. b2c.tenant.url,
} do
  -- A response from any server shows that the connection went to a host that is not allowed.
  local ok, response = pcall(b2c.http.get, url, { raise = false })
  if ok and b2c.tenant.requests()[1] == nil then e.escaped(url) end
end
e.held()
