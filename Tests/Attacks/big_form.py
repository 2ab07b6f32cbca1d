"""A table with many entries as form, headers, query or multipart: async.timeout(1) ends the call within some seconds, and time grows with the entries alone."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
res = {}; bad = []
for what in ("form", "headers", "query", "multipart"):
    for n in (10000, 40000, 160000):
        put("b.lua", f'local b2c = require "b2c"\nlocal t = {{}} for i = 1, {n} do t["k" .. i] = "v" end\nprint(pcall(b2c.async.timeout, 1, function() b2c.http.post("http://127.0.0.1:1/", {{ {what} = t }}) end))')
        t0 = time.time(); rc, o, e = run("-A", "b.lua", timeout=25); res[what, n] = (rc if rc == "TIMEOUT" else "", round(time.time() - t0, 1), o[-60:])
        if rc == "TIMEOUT": break
    if any(v[0] == "TIMEOUT" for k, v in res.items() if k[0] == what): bad.append(what)
verdict(bad, f"{bad} {res}")
