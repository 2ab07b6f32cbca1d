-- Requests of all kinds, to a server that returns the request in its response.

local b2c = require "b2c"
local async, http, tenant = b2c.async, b2c.http, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message
local echo = b2c.args.echo

-- Methods
for _, method in ipairs { "get", "post", "put", "patch", "delete" } do
  equal(http[method](echo .. "/x").json().method, method:upper())
end
equal(http.request({ url = echo }).json().method, "GET")
equal(http.request({ url = echo, body = "x" }).json().method, "POST")
equal(http.request({ url = echo, method = "options" }).json().method, "OPTIONS")

-- The answer
local answer = http.get(echo .. "/path?x=1")
equal(answer.status, 200)
equal(answer.headers["content-type"], "application/json")
equal(answer.url, echo .. "/path?x=1")
equal(type(answer.body), "string")
equal(answer.json().target, "/path?x=1")
equal(tostring(answer), "response 200")

-- The query
equal(http.get(echo .. "/p?x=1#part", { query = { b = "a&b c", a = 5, l = { "1", "2" } } }).json().target,
  "/p?x=1&a=5&b=a%26b+c&l=1&l=2")
equal(http.get(echo .. "/p", { query = {} }).json().target, "/p")

-- Bodies
local function post(options) return http.post(echo, options).json() end
local got = post { form = { a = "1 2", b = true, c = { "x", "y" } } }
equal(got.body, "a=1+2&b=true&c=x&c=y")
equal(got.headers["content-type"], "application/x-www-form-urlencoded")
got = post { json = { a = { 1, b2c.json.null }, b = b2c.json.array {} } }
equal(got.body, '{"a":[1,null],"b":[]}')
equal(got.headers["content-type"], "application/json")
equal(post({ json = "text" }).body, '"text"')
equal(post({ json = false }).body, "false")
equal(post({ body = "a\0b" }).body, "a\0b")
equal(post({ body = "" }).headers["content-length"], "0")
local file <close> = support.file("from a file", ".txt")
equal(post({ file = file.path }).body, "from a file")
got = post { multipart = {
  text = "Buy milk", number = 5, upload = { file = file.path, filename = "a.txt", type = "text/plain" },
} }
local boundary = got.headers["content-type"]:match("^multipart/form%-data; boundary=(.+)$")
local parts = {
  '--BOUNDARY\r\nContent-Disposition: form-data; name="number"\r\n\r\n5\r\n',
  '--BOUNDARY\r\nContent-Disposition: form-data; name="text"\r\n\r\nBuy milk\r\n',
  '--BOUNDARY\r\nContent-Disposition: form-data; name="upload"; filename="a.txt"\r\n',
  'Content-Type: text/plain\r\n\r\nfrom a file\r\n',
  '--BOUNDARY--\r\n',
}
equal(got.body, (table.concat(parts):gsub("BOUNDARY", boundary)))

-- Header fields
got = http.get(echo, { headers = { ["X-One"] = "1", Accept = "text/plain" } }).json()
equal(got.headers["x-one"], "1")
equal(got.headers.accept, "text/plain")
assert(got.headers["user-agent"]:find("^b2c%-run"))
equal(post({ json = {}, headers = { ["Content-Type"] = "application/problem+json" } }).headers["content-type"],
  "application/problem+json")

-- A status of 400 or more is an error, unless it is wanted.
tenant.fault { path = "/broken", status = 418, body = "short and stout\nsecond line", times = 2 }
local e = failure(http.get, tenant.url .. "/broken?secret=1")
equal(e.code, "http_status")
equal(e.status, 418)
equal(e.message, "http.get: GET " .. tenant.url .. "/broken answered 418: short and stout")
equal(e.hint, "raise = false returns the response instead")
equal(e.details.body, "short and stout\nsecond line")
equal(e.retryable, false)
equal(http.get(tenant.url .. "/broken", { raise = false }).status, 418)
local user = tenant.url:gsub("//", "//me:my-password@") .. "/broken"
tenant.fault { path = "/broken", status = 418, body = "" }
equal(failure(http.get, user).message, "http.get: GET " .. tenant.url .. "/broken answered 418")
tenant.fault { path = "/broken", status = 503 }
equal(failure(http.get, tenant.url .. "/broken").retryable, true)

-- Not JSON
tenant.fault { path = "/text", status = 200, body = "no json", times = 2 }
assert(message(http.get(tenant.url .. "/text").json):find(
  "response.json: the body is not JSON (text/plain; charset=utf-8, 7 bytes): ", 1, true))
equal(http.get(tenant.url .. "/text").body, "no json")

-- Redirects
tenant.fault { path = "/old", status = 302, headers = { Location = "/new" } }
tenant.fault { path = "/new", status = 200, body = "here" }
answer = http.post(tenant.url .. "/old", { body = "x" })
equal(answer.body, "here")
equal(answer.url, tenant.url .. "/new")
tenant.fault { path = "/round", status = 302, headers = { Location = "/round" }, times = 20 }
equal(failure(http.get, tenant.url .. "/round").code, "too_many_redirects")

-- A wait that the server asks for
for text, seconds in pairs { ["30"] = 30, ["0.5"] = 0.5, [os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 3600)] = 3600 } do
  tenant.fault { path = "/busy", status = 503, headers = { ["Retry-After"] = text }, times = 2 }
  e = failure(http.get, tenant.url .. "/busy")
  assert(math.abs(e.retry_after - seconds) < 60 and e.retryable, tostring(e.retry_after))
  equal(tonumber(e.details.retry_after), e.retry_after)
  assert(math.abs(http.get(tenant.url .. "/busy", { raise = false }).retry_after - seconds) < 60)
end
equal(http.get(echo .. "/").retry_after, nil)

-- No answer
tenant.fault { path = "/slow", delay = 5 }
e = failure(http.get, tenant.url .. "/slow", { timeout = 0.05 })
equal(e.code, "timeout")
assert(e.retryable and e.message:find("0.05", 1, true), e.message)
tenant.fault { path = "/slow", delay = 5 }
equal(failure(async.timeout, 0.02, function() http.get(tenant.url .. "/slow") end).code, "timeout")
tenant.fault { path = "/cut", drop = true, times = 2 }
equal(failure(http.post, tenant.url .. "/cut", { body = "x" }).code, "connection_lost")
equal(failure(http.get, "http://127.0.0.1:1/").code, "unreachable")
equal(failure(http.get, "/relative").code, "invalid_url")
equal(failure(http.get, "ftp://x.example/").code, "invalid_url")

-- Several at once
local all = async.map({ 1, 2, 3, 4, 5, 6, 7, 8 }, { limit = 8 }, function(n)
  return http.get(echo .. "/" .. n).json().target
end)
equal(table.concat(all), "/1/2/3/4/5/6/7/8")

-- Wrong use
equal(message(http.request, {}), "http.request: option 'url' is missing: expected a string")
equal(message(http.get), "http.get: argument 1: expected a string, got nothing")
equal(failure(http.get, echo, { header = {} }).hint, "did you mean 'headers'?")
equal(message(http.post, echo, { json = {}, form = {} }),
  "http.post: options 'form' and 'json': expected only one body")
equal(message(http.post, echo, { form = { a = print } }),
  "http.post: option 'form': a: expected a string, got function")
equal(message(http.post, echo, { form = { "a" } }), "http.post: option 'form': expected names, got a number as key")
equal(message(http.post, echo, { multipart = { a = {} } }),
  "http.post: option 'multipart': a: expected a string or { file = PATH }, got a table without file")
equal(message(http.post, echo, { multipart = { a = print } }),
  "http.post: option 'multipart': a: expected a string or { file = PATH }, got function")
equal(message(http.post, echo, { file = "/no/such/file" }),
  "http.post: cannot read /no/such/file: No such file or directory")
equal(message(http.get, echo, { timeout = 0 }), "http.get: option 'timeout': expected seconds above zero, got 0.0")
assert(message(http.get, echo, { headers = { ["a b"] = "x" } }):find("a b", 1, true))
assert(message(http.get, echo, { headers = { a = "x\r\nb: y" } }):find("header", 1, true))
