-- Connects to servers that the settings do not name, by every method.
-- From: server-side request forgery; the cosockets of nginx.
local e = require "support"
local http = require "b2c.http"
for _, method in ipairs { "get", "post", "put", "patch", "delete" } do e.denied(http[method], e.listener .. "/x") end
for _, method in ipairs { "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND" } do e.denied(http.request, { method = method, url = e.listener }) end
for _, url in ipairs { "http://169.254.169.254/latest/meta-data/", "http://localhost:1/", "https://127.0.0.1:" .. e.port, "http://[::1]:" .. e.port } do
  e.denied(http.get, url)
end
e.held()
