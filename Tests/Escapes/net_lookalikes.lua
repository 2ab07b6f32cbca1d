-- Connects to names that begin or end like the task API's name.
-- From: Deno's CVE-2024-27932, which sent tokens to names that ended like the right one.
-- flags: --allow-net=api.example --set taskAPI=https://api.example
local e = require "support"
local http = require "b2c.http"
for _, host in ipairs {
  "api.example.evil.test", "evilapi.example", "evil-api.example", "x.api.example", "api.example.", "api", "example",
  "api.exampl\u{435}", "api.example:443@evil.test", "xn--api-.example", "localhost.evil.test", "127.0.0.1.evil.test",
} do
  e.denied(http.get, "https://" .. host .. "/api/tasks")
end
e.held()
