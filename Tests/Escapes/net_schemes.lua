-- Uses other protocols of the HTTP library.
-- From: server-side request forgery with libcurl: file, gopher, dict, ftp, and proxies.
local e = require "support"
local b2c = require "b2c"
for _, scheme in ipairs { "file", "gopher", "dict", "ftp", "ftps", "scp", "sftp", "telnet", "tftp", "ldap", "smb", "ws", "data", "javascript", "unix" } do
  e.fails(b2c.http.get, scheme .. "://127.0.0.1:" .. e.port .. "/")
  e.fails(b2c.http.get, scheme .. "://" .. e.outside .. "/canary.txt")
  e.fails(b2c.http.get, scheme .. ":" .. e.outside .. "/canary.txt")
end
e.fails(b2c.http.get, e.outside .. "/canary.txt")
e.held()
