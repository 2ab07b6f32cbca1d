-- Goes to the parent folder with every spelling of "..".
-- From: path traversal in Node's permission model, CVE-2023-30584 and CVE-2024-21891.
local e = require "support"
for _, path in ipairs {
  "../outside/canary.txt", "./../outside/canary.txt", ".//..//outside//canary.txt", "././.././outside/./canary.txt",
  "folder/../../outside/canary.txt", "../in/../outside/canary.txt", "folder/../folder/../../outside/canary.txt",
  "linked/../outside/canary.txt", "linked/../../" .. e.outside:match "[^/]*/outside$" .. "/canary.txt",
  e.outside .. "/../outside/canary.txt", "/proc/../" .. e.outside .. "/canary.txt", "//" .. e.outside .. "/canary.txt",
} do
  e.denied(io.open, path)
end
for _, path in ipairs { "nowhere/../../outside/canary.txt", "script.lua/../../outside/canary.txt", "..\\outside\\canary.txt" } do
  e.fails(io.open, path)
end
e.held()
