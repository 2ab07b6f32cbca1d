"""Cyclic and lying tables at sign_in, import, job, and other options: an error within a second, no signal."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
script = r'''
local b2c = require "b2c"
local function cyc() local t = {} t[1] = t t.a = t t.scopes = t t.claims = t return t end
local function lie() return setmetatable({}, { __index = function(_, k) return type(k) == "number" and k < 1e15 and k or nil end, __len = function() return math.maxinteger end, __pairs = function() return function(_, k) return (k or 0) + 1, 1 end end }) end
local function deep() local t = {} local r = t for i = 1, 100000 do t[1] = {} t.a = t[1] t = t[1] end return r end
local function big() local t = {} for i = 1, 300000 do t["k" .. i] = i end return t end
local shared = {} for i = 1, 40 do shared = { shared, shared, a = shared, b = shared } end
local odd = { cyc, lie, deep, big, function() return shared end, function() return setmetatable({}, { __index = function(t, k) return t end }) end, function() return setmetatable({}, { __name = ("x"):rep(1e6), __tostring = function() return ("y"):rep(1e6) end }) end, function() return setmetatable({}, { __index = function() while true do end end }) end }
local targets = {
  function(v) return b2c.job { summary = "x", on = v } end, function(v) return b2c.job { summary = "x", on = { start = true }, args = v, retry = v, keep = v, overlap = v } end, function(v) return b2c.job(v) end,
  function(v) return b2c.accounts.sign_in(v) end, function(v) return b2c.accounts.sign_in { agent = "headless", username = "alice", password = "x", scopes = v, claims = v, extra = v, parameters = v } end, function(v) return b2c.accounts.sign_in { claims = v } end,
  function(v) return b2c.tasks.import(v) end, function(v) return b2c.tasks.import({ v, v }, { map = v }) end, function(v) return b2c.tasks.import({ { Text = v } }, v) end, function(v) return b2c.tasks.import({ { Text = "a", x = v } }, { progress = false }) end, function(v) return b2c.tasks.import({"a"}, { headers = v, concurrency = v, map = v, fields = v }) end,
  function(v) return b2c.tasks.import(function() return v end, { progress = false }) end, function(v) return b2c.json.encode(v) end, function(v) return b2c.http.post("http://127.0.0.1:1/", { json = v }) end, function(v) return b2c.http.post("http://127.0.0.1:1/", { form = v, headers = v, query = v, multipart = v }) end,
  function(v) return b2c.jose.sign(v, v) end, function(v) return b2c.jose.verify("a.b.c", v) end, function(v) return b2c.jose.encrypt(v, v) end, function(v) return b2c.term.choose and b2c.term.choose("x", v) end, function(v) return b2c.term.table and b2c.term.table(v) end, function(v) return b2c.log.info(v) end, function(v) return error(v) end, function(v) return b2c.async.all(v) end, function(v) return b2c.async.race and b2c.async.race(v) end, function(v) return b2c.tenant.start and b2c.tenant.start(v) end, function(v) return b2c.tasks.add(v) end, function(v) return b2c.tasks.update(1, v) end, function(v) return b2c.tasks.export("/tmp/x", v) end, function(v) return b2c.xml.encode and b2c.xml.encode(v) end, function(v) return b2c.oauth.authorization_url and b2c.oauth.authorization_url(v) end, function(v) return b2c.oauth.register and b2c.oauth.register(v) end,
}
local i, j = tonumber(arg[1]), nil
for j, o in ipairs(odd) do
  local ok, e
  local r = pcall(function() b2c.async.timeout(1, function() ok, e = pcall(targets[i], o()) end) end)
  io.write(i, " ", j, " ", tostring(ok), "\n") io.flush()
end
'''
put("c.lua", script); bad = []; slow = []; done = 0
for i in range(1, 32):
    t0 = time.time(); rc, o, e = run("--local=" + ROOT + "/d", "-A", "--memory", "512M", "c.lua", str(i), timeout=40); dt = time.time() - t0; done += o.count("\n")
    if rc == "TIMEOUT" or crashed(rc, e) or (isinstance(rc, int) and rc >= 128): bad.append((i, rc, o.split("\n")[-2:], e[-200:]))
    elif dt > 14: slow.append((i, round(dt), o.count("\n")))
verdict(bad, f"{done} calls; bad {bad} slow {slow}")
