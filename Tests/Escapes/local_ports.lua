-- Connects to another service of this machine, because the local tenant runs on this machine too.
-- From: server-side request forgery at localhost: Redis, Docker and cloud metadata.
local e = require "support"
local b2c = require "b2c"
local own = tonumber(b2c.tenant.url:match ":(%d+)")
for _, port in ipairs { own + 1, own - 1, 80, 6379, 2375, tonumber(e.port) } do
  for _, host in ipairs { "127.0.0.1", "localhost", "[::1]" } do
    if port ~= own then e.denied(b2c.http.get, ("http://%s:%d/"):format(host, port)) end
  end
end
e.denied(b2c.http.get, (b2c.tenant.url:gsub("http:", "https:")))
e.held()
