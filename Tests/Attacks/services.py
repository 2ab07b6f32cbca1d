"""Stock services at hostile servers: credentials stay with the host of the settings, lists end, bodies of any form end in an error or a result, and no text moves the cursor."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import concurrent.futures
E_ = "\x1b]0;PWN\x07\x1b[2J\u202e\u009b1A"
SECRET = "s3cr3t-of-the-service-0815"
stolen = []
other = Server(lambda r: (stolen.append((r.method, r.path, r.headers.get("Authorization"))), js({"value": []}))[1], host="127.0.0.1")
OTHERS = [f"127.0.0.1:{other.port}", f"localhost:{other.port}"]
class Case:
    """A server with one hostile behaviour, and the settings of a service that name it."""
    def __init__(self, service, answer, path=""):
        self.n = 0
        def go(r):
            self.n += 1; made = answer(self, r)
            return made if made else (404, [], b"")
        self.s = Server(go); self.url = self.s.url + path
        one = {"url": self.url, "secret": service}
        if service == "github": one["list"] = "a/b"
        if service == "caldav": one["username"] = "alice"
        self.file = put(f"s-{self.s.port}.json", json.dumps({"services": {service: one}}))
X = lambda inner, status=207: (status, [("Content-Type", "text/xml")], '<?xml version="1.0"?><multistatus xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">' + inner + "</multistatus>")
R = lambda href, props: f"<response><href>{href}</href><propstat><prop>{props}</prop><status>HTTP/1.1 200 OK</status></propstat></response>"
CAL = "<resourcetype><collection/><c:calendar/></resourcetype>"
LISTS = {"value": [{"id": "l", "displayName": "T", "wellknownListName": "defaultList"}]}
def ms(tasks):
    def go(c, r):
        if r.target.endswith("/me/todo/lists"): return js(LISTS)
        if "mailboxSettings" in r.target: return js({"value": "UTC"})
        return tasks(c, r)
    return go
ODD = ["x", None, 7, -1e308, [], {}, [[]], {"a": {}}, "a\0b", "../../x", "x/../../../y", "a b\r\nX: y", E_, "", True, "9" * 400, "\ud7ff" * 10, "0000-00-00", "9999-99-99T99:99:99Z", {"dateTime": "9999-12-31T23:59:59.9999999", "timeZone": "Etc/GMT+99"}, {"dateTime": "x" * 100000, "timeZone": "../../etc/passwd"}, {"date": "99999999-01-01", "timezone": "/etc/passwd"}]
def oddly(fields):
    return [dict([(f, v) for f in fields if f != "id"] + [("id", i if n % 2 else v)]) for n, (i, v) in enumerate((i, v) for i, v in enumerate(ODD))] + [{f: ODD[(i * 7 + j) % len(ODD)] for j, f in enumerate(fields)} for i in range(40)]
MS = ["id", "title", "body", "status", "dueDateTime", "startDateTime", "importance", "categories", "linkedResources", "completedDateTime", "lastModifiedDateTime", "@odata.etag"]
TD = ["id", "content", "description", "checked", "completed_at", "due", "priority", "labels", "project_id", "parent_id", "updated_at", "added_at", "is_deleted"]
GH = ["number", "title", "body", "state", "closed_at", "labels", "html_url", "updated_at", "pull_request"]
def sync(items): return lambda c, r: js({"projects": [{"id": "in", "name": E_, "inbox_project": True}], "items": items(c, r), "user": {"joined_at": "2026-11-01"}, "sync_token": E_, "next_cursor": None})
def ics(text): return lambda c, r: X(R("/c/", CAL)) if r.method == "PROPFIND" else X(R("/c/1.ics", f"<getetag>\"1\"</getetag><c:calendar-data>{text}</c:calendar-data>"))
TODO = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n%sBEGIN:VTODO\r\nUID:1\r\nSUMMARY:x\r\n%sEND:VTODO\r\nEND:VCALENDAR\r\n"
deep = "[" * 200000
cases = {}
for o in OTHERS[1:]:
    for form in ("@%s/x", "http://%s/x", "//%s/x", "\\\\%s\\x", "http:\\\\%s/x", "http:/%s/x", "https:%s", "HTTP://%s/x", " http://%s/x", "http://{own}@%s/x", "http://{own}#@%s/x", "http://%s#@{own}/x", "http://%s\\@{own}/x", "http://{own}\\@%s/x", "http://%s?@{own}/", "http://{own}:80@%s/x", ".%s/x", "http://{own}%%2f@%s/", "http://{own};@%s/x", "http://%s\t@{own}/"):
        link = lambda c, form=form, o=o: (form % o).replace("{own}", f"127.0.0.1:{c.s.port}")
        for path in ("", "/v1.0"):
            if path and form[0] not in "@.": continue
            cases[f"ms next {path} {form} {o}"] = ("microsoft", ms(lambda c, r, l=link: js({"value": [], "@odata.nextLink": l(c)})), path)
        cases[f"ms redirect {form} {o}"] = ("microsoft", lambda c, r, l=link: (307, [("Location", l(c).replace("\t", ""))], b""), "")
        cases[f"dav href {form} {o}"] = ("caldav", lambda c, r, l=link: X(R("/", f"<current-user-principal><href>{l(c).replace('&', '')}</href></current-user-principal>")), "")
        cases[f"dav cal {form} {o}"] = ("caldav", lambda c, r, l=link: X(R("/", "<c:calendar-home-set><href>/h/</href></c:calendar-home-set>")) if r.path == "/" else X(R(l(c), CAL)) if r.method == "PROPFIND" else X(R(l(c), "")), "")
        cases[f"dav redirect {form} {o}"] = ("caldav", lambda c, r, l=link: (302, [("Location", l(c).replace("\t", ""))], b""), "")
    cases[f"gh link {o}"] = ("github", lambda c, r, o=o: js([], 200, ("Link", f'<http://{o}/x>; rel="next"')), "")
    for s in ("github", "todoist"): cases[f"{s} redirect {o}"] = (s, lambda c, r, o=o: (308, [("Location", f"http://{o}/x")], b""), "")
endless = {
 "td 1e9": ("todoist", lambda c, r: js({"projects": [{"id": "in", "name": "I", "inbox_project": True}], "items": [], "user": {"joined_at": "2026-11-01"}, "next_cursor": 1e300}), ""),
 "dav redirects": ("caldav", lambda c, r: (302, [("Location", f"/{c.n}")], b""), ""),
 "dav principals": ("caldav", lambda c, r: X(R("/", f"<current-user-principal><href>/{c.n}</href></current-user-principal>")), ""),
}
forms = {"ms odd": ("microsoft", ms(lambda c, r: js({"value": oddly(MS)})), ""), "td odd": ("todoist", sync(lambda c, r: [{**o, "project_id": "in"} if i % 2 else o for i, o in enumerate(oddly(TD))]), ""), "gh odd": ("github", lambda c, r: js(oddly(GH)), ""), "ms lists odd": ("microsoft", lambda c, r: js({"value": [{"id": v, "displayName": E_, "wellknownListName": "defaultList"} for v in ODD]}), ""),
 "dav odd": ("caldav", ics(TODO % ("", "".join(f"{p}{v}\r\n" for p in ("DUE", "DTSTART", "PRIORITY", "CATEGORIES", "RRULE", "COMPLETED", "RELATED-TO", "URL", "STATUS", "DUE;TZID=../../../etc/passwd", "DUE;TZID=\x7f", "DTSTART;VALUE=DATE") for v in (":", ":99999999999999999999", ":20261399T999999Z", ";:;:;", ":" + "9" * 400, ";X=\":\":1")))), ""),
 "dav zone": ("caldav", ics(TODO % ("BEGIN:VTIMEZONE\r\nTZID:Z\r\nBEGIN:STANDARD\r\nDTSTART:00010101T000000\r\nRRULE:FREQ=SECONDLY\r\nTZOFFSETFROM:+9999\r\nTZOFFSETTO:-999999\r\nEND:STANDARD\r\nBEGIN:DAYLIGHT\r\nDTSTART:19700101T000000\r\nRRULE:FREQ=DAILY;COUNT=999999999999\r\nTZOFFSETFROM:+0000\r\nTZOFFSETTO:+2400\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n", "DUE;TZID=Z:99991231T235959\r\n")), ""),
 "dav deep": ("caldav", ics("BEGIN:A\r\n" * 50000), ""), "dav long line": ("caldav", ics(TODO % ("", "SUMMARY:" + "x" * 3000000 + "\r\n")), ""), "dav folds": ("caldav", ics(TODO % ("", "SUMMARY:x\r\n" + " y\r\n" * 300000)), ""), "dav params": ("caldav", ics(TODO % ("", "SUMMARY" + ";A=\"b\"" * 100000 + ":x\r\n")), ""),
 "dav responses": ("caldav", lambda c, r: X(R("/c/", CAL) * 2000) if r.method == "PROPFIND" else X(R("/c/1.ics", "<getetag>1</getetag>") * 2000), ""), "dav attributes": ("caldav", lambda c, r: X("<a " + " ".join(f'a{i}="x"' for i in range(100000)) + "/>"), ""), "dav escapes": ("caldav", lambda c, r: X(R("/c/" + "\u202e", CAL + "<displayname>\u202e\u009b2J&#27;</displayname>")), ""), "dav utf16": ("caldav", lambda c, r: (207, [("Content-Type", "text/xml; charset=utf-16")], ('<?xml version="1.0" encoding="utf-16"?><multistatus xmlns="DAV:"/>').encode("utf-16")), ""), "dav status": ("caldav", lambda c, r: (999, [("Content-Type", "text/plain")], E_), ""),
 "errors": ("todoist", lambda c, r: js({"error": E_, "error_extra": {"retry_after": "nan"}}, 400), ""), "errors 2": ("microsoft", lambda c, r: js({"error": {"message": E_, "code": [E_]}}, 400), ""), "errors 3": ("github", lambda c, r: js({"message": E_}, 403, ("Retry-After", "-1")), ""), "plain": ("github", lambda c, r: (400, [("Content-Type", "text/plain " + E_.encode().decode("latin1"))], E_ * 100000), ""), "secret back": ("todoist", lambda c, r: js({"error": r.headers.get("Authorization"), "message": r.headers.get("Authorization")}, 400), ""), "secret back dav": ("caldav", lambda c, r: (400, [("Content-Type", "text/plain")], (r.headers.get("Authorization") or "") + " " + SECRET), ""),
 "deep": ("todoist", lambda c, r: js(deep), ""), "deep2": ("microsoft", lambda c, r: js('{"value":' + deep), ""), "big": ("github", lambda c, r: (200, [("Content-Type", "application/json")], b"[" + b" " * 70_000_000 + b"]"), ""), "dup": ("microsoft", lambda c, r: js('{"value":[],"value":[{"id":1}],"value":null}'), "")}
put("secret.txt", SECRET)
for s in ("todoist", "github", "microsoft", "caldav"): run("secrets", "set", s, stdin=SECRET.encode())
bad = []; res = {}
put("changes.lua", 'local b2c = require "b2c"\nlocal n = ...\nprint(pcall(b2c.tasks.changes, nil, { service = n }))\nprint(pcall(b2c.tasks.lists, { service = n }))\nprint(pcall(b2c.tasks.get, "x", { service = n }))\n')
put("new.csv", "Text\na\nb\n")
def attempt(item, words, limit, allowed):
    name, (service, answer, path) = item; c = Case(service, answer, path)
    for w in words:
        t0 = time.time(); rc, o, e = run("--settings", c.file, *[x.replace("SERVICE", service) for x in w], timeout=limit); dt = round(time.time() - t0, 1)
        res[name, w[0]] = (rc, dt, c.n)
        if crashed(rc, e): bad.append((name, w[0], rc, dt, c.n, e[-200:]))
        # A script's own print is not the program's.
        shown = e if w[0] == "-A" else o + e
        if "\x1b]0" in shown or "\x1b[2J" in shown or "\u009b" in shown or "\u202e" in shown: bad.append((name, w[0], "ESCAPE", (o + e)[-200:]))
        if SECRET in o + e: bad.append((name, w[0], "SECRET", (o + e)[-300:]))
    c.s.s.shutdown()
only = sys.argv[2:]
def all_of(some, words, limit):
    with concurrent.futures.ThreadPoolExecutor(4) as pool: list(pool.map(lambda i: attempt(i, words, limit, False), [i for i in some.items() if not only or any(x in i[0] for x in only)]))
TASKS = ("tasks", "--service", "SERVICE"); SCRIPT = ("-A", "changes.lua", "SERVICE"); IMPORT = ("--timeout", "20", "import", "new.csv", "--service", "SERVICE", "--progress", "none", "--journal", "none", "--failed", "none", "--retries", "0", "--wait", "0")
all_of(cases, [TASKS], 15)
if stolen: bad.append(("STOLEN", len(stolen), stolen[:3]))
all_of(forms, [TASKS, SCRIPT, IMPORT], 25)
all_of(endless, [("--timeout", "60", *TASKS)], 22)
if only: print(res)
if only: print(bad)
verdict(bad, f"{len(res)} runs; bad {bad}")
