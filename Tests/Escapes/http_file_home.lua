-- Sends files by paths that a URL library reads differently: "~" as the home, ".." as text, "%" as an escape.
-- From: CWE-22; Foundation's URL(filePath:) expands "~user" and removes ".." before links are followed.
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
local account = b2c.accounts.current()
local url = b2c.tenant.url
local function refused(path, send)
  local ok, problem = pcall(send)
  if ok then return e.escaped(path) end
  local code = type(problem) == "table" and problem.code
  if code ~= "permission_denied" and code ~= "file_unreadable" then print("ODD: " .. path .. ": " .. tostring(problem)) end
end
for _, path in ipairs {
  "~/.local/share/b2c-run/key", "~/.config/b2c-run/settings.plist", "~/.ssh/id_rsa", "~root/../etc/shadow",
  "~root/../etc/hosts", "~nobody/../../etc/hosts", "./~/.local/share/b2c-run/key", "in/../~/.ssh/id_rsa",
  "folder/../../outside/canary.txt", "linked/../outside/canary.txt", "linked/../in/link.txt",
  "folder/up/../outside/canary.txt", "missing/../link.txt", "file://" .. e.outside .. "/canary.txt",
  "%2e%2e/outside/canary.txt", "linked/canary.txt/", "link.txt/.",
} do
  refused(path, function() return b2c.http.post(url, { file = path }) end)
  refused(path, function() return b2c.http.put(url, { file = path }) end)
  refused(path, function() return b2c.http.post(url, { multipart = { x = { file = path } } }) end)
  refused(path, function() return account:request { url = url, file = path } end)
end
e.held()
