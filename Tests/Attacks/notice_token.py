"""jobs: the error of a run has a token that a server has sent. It is in no notice, and not in the list of runs."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"; hook = Server(lambda r: (200, [], b"ok"))
put("jobs/r.lua", f'-- needs: --allow-net=127.0.0.1  the notice\nlocal b2c = require "b2c"\nb2c.job {{ summary = "x", on = {{ webhook = "/hooks/r", scheme = "none" }}, notify = {{ {{ on = "any", to = "{hook.url}/json" }}, {{ on = "any", to = "ntfy:{hook.url}/text" }} }} }}\nerror("boom {token}")\n')
run("jobs", "allow", "r", "--yes"); s = Serve(); s.hook("/hooks/r")
for _ in range(150):
    if len(hook.log) >= 2: break
    time.sleep(.1)
listed = run("jobs", "runs"); s.stop(); sent = b" ".join(b for _, _, _, b in hook.log).decode()
verdict(len(hook.log) < 2 or token in sent or token in listed[1] + listed[2], f"{len(hook.log)} notices, in a notice {token in sent}, in the list {token in listed[1]}")
