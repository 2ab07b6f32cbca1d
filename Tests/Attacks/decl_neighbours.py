"""The declarations are read by processes that read several scripts: a hostile script breaks no other job, and the load ends in bounded time."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
D = 'local b2c = require "b2c"\n'; J = 'b2c.job { summary = "x", on = { every = "9h" } }\n'
evil = {"loop": "while true do end", "pat": 'string.find(("a"):rep(100000), ("a?"):rep(2000) .. ("a"):rep(2000) .. "b")', "rep": 'local s = ("x"):rep(1e9)', "mem": "local t = {} while true do t[#t+1] = ('x'):rep(1e6) .. #t end", "gc": "setmetatable({}, { __gc = function() while true do end end }) collectgarbage()", "close": "local x <close> = setmetatable({}, { __close = function() while true do end end })\n" + D + J, "exit": "os.exit(0, true)", "exit9": "os.exit(9)", "stack": "local function f() return f() + 1 end f()", "err": "error(setmetatable({}, { __tostring = function() while true do end end }))", "coro": D + 'coroutine.wrap(function() b2c.async.spawn(function() while true do b2c.async.sleep(0.01) end end) end)()\n' + J, "mm": D + 'b2c.job(setmetatable({}, { __index = function(_, k) while true do end end }))', "stdout": 'for i = 1, 2e6 do io.write(("\\27[2J"):rep(20)) end\n' + D + J, "global": D + 'b2c.job = function() end package.loaded.b2c = nil string.format = nil table.concat = nil\n', "twice": D + "pcall(b2c.job, {})\npcall(b2c.job, { summary = 'x', on = { start = true } })\n" + J, "pcallloop": D + "while true do pcall(b2c.job, { summary = 'x', on = { every = '9h' } }) end", "setmeta": D + 'getmetatable("").__index = nil\n' + J, "stdin": 'io.read("a")\n' + D + J, "sortbad": "local t = {} for i = 1, 1e6 do t[i] = i end table.sort(t, function() return true end)", "gsub": 'string.gsub(("x"):rep(1e6), ".-.-.-.-.-.-y", "")', "concat": "local t = {} for i = 1, 1e4 do t[i] = ('x'):rep(1e5) end local s = table.concat(t)", "debug": "debug.sethook(function() end, '', 1)"}
names = list(evil)
for i, (k, v) in enumerate(evil.items()): put(f"jobs/a{i:02d}{k}.lua", v)
for i in range(24): put(f"jobs/b{i:02d}good.lua", D + J); put(f"jobs/a{i:02d}zgood.lua", D + J)
t0 = time.time(); s = Serve(wait=False); rd = None
while time.time() - t0 < 130:
    try:
        h = s.get("/healthz", timeout=5)[0]
        if s.get("/readyz", timeout=5)[0] == 200: rd = time.time() - t0; break
    except OSError: pass
    time.sleep(.3)
js_ = []
for off in (0, 50, 100):
    d = json.loads(s.get(f"/api/jobs?limit=50&offset={off}")[1]); d = d if isinstance(d, list) else d.get("jobs", []); js_ += [x for x in d if x["name"] not in {y["name"] for y in js_}]
badgood = [(x["name"], x.get("state"), x.get("trouble")) for x in js_ if "good" in x["name"] and x.get("state") not in ("ready", "running")]
ev = {x["name"]: (x.get("state"), (x.get("trouble") or "")[:60]) for x in js_ if "good" not in x["name"]}
t = s.text(); alive = s.alive(); t1 = time.time(); e = s.stop(); dt = time.time() - t1
verdict(badgood or not rd or not alive or e != 0 or "\x1b[2J" in t, f"ready after {rd} jobs {len(js_)} badgood {badgood[:3]} end {e} in {dt:.1f} evil {ev}")
