-- Puts a second request, or another Host, into a header field or the address.
-- From: request splitting (CWE-113) in earlier versions of curl and Node.
local e = require "support"
local b2c = require "b2c"
local url = b2c.tenant.url .. "/api/tasks"
local split = "\r\nHost: evil.example\r\n\r\nGET http://127.0.0.1:" .. e.port .. "/ HTTP/1.1\r\n"
e.fails(b2c.http.get, url, { headers = { ["X-A"] = "x" .. split } })
e.fails(b2c.http.get, url, { headers = { ["X-A" .. split] = "x" } })
e.fails(b2c.http.get, url .. "?" .. split)
e.fails(b2c.http.request, { url = url, method = "GET" .. split })
e.fails(b2c.http.get, url, { headers = { ["Content-Length"] = "0" } })
e.fails(b2c.http.get, url, { headers = { ["Transfer-Encoding"] = "chunked" } })
e.fails(b2c.http.post, b2c.tenant.url, { multipart = { a = { file = "mine.txt", type = "text/plain\r\nX-Evil: 1" } } })
e.held()
