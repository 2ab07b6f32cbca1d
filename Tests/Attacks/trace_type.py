"""--trace: a server repeats the token in the type of its answer, in the name of a field and behind a cookie, and a form has auth_session. Neither is in a trace."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
token, session = "opaque1Token2Of3Alice4x5y", "first9Party8Session7z6w5"
def other(r):
    if r.target == "/tasks-api/echo": return 200, [("Content-Type", "text/plain; x=" + token), ("X-" + token, "n"), ("Set-Cookie", "sid=1; Path=/" + token)], b"hi"
op = OP(other=other, token=lambda t, form: {**t, "access_token": token})
put("t.lua", SIGN_IN + f'b2c.http.get(b2c.settings.taskAPI .. "/echo", {{ account = a }})\npcall(b2c.oauth.token, {{ grant_type = "urn:x:step", auth_session = "{session}" }})\nprint "done"\n')
bad = []
for end in ("json", "har", "html"):
    rc, o, e = run(*op.settings(), "-A", "--trace", "t." + end, "t.lua"); text = open(ROOT + "/work/t." + end).read()
    if "done" not in o or token in text or session in text: bad.append((end, rc, token in text, session in text, e[-200:]))
verdict(bad, bad)
