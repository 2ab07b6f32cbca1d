"""VTIMEZONE bombs: a calendar file or a CalDAV server's task with a huge rule takes bounded time."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
def ics(rule, due="20270131T090000", more="", n=1): return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTIMEZONE\r\nTZID:X\r\n" + f"BEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n{rule}END:STANDARD\r\nBEGIN:DAYLIGHT\r\nDTSTART:19700601T000000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;BYMONTH=6;BYDAY=1SU\r\nEND:DAYLIGHT\r\n{more}END:VTIMEZONE\r\n" + "".join(f"BEGIN:VTODO\r\nUID:{i}\r\nSUMMARY:a{i}\r\nDUE;TZID=X:{due if n == 1 else '%04d0131T090000' % (1 + i)}\r\nEND:VTODO\r\n" for i in range(n)) + "END:VCALENDAR\r\n"
cases = {"month x monthday": ics("RRULE:FREQ=YEARLY;BYMONTH=" + ",".join(["1"] * 30000) + ";BYMONTHDAY=" + ",".join(["9"] * 30000) + "\r\n"),
 "byday": ics("RRULE:FREQ=YEARLY;BYMONTH=" + ",".join(["1"] * 30000) + ";BYDAY=" + ",".join(["MO"] * 30000) + ";BYSETPOS=" + ",".join(["1"] * 3000) + "\r\n"),
 "rdate x years": ics("".join(f"RDATE:{1000 + i % 8000:04d}0101T000000\r\n" for i in range(15000)), n=4000),
 "odd": ics("RRULE:FREQ=YEARLY;BYMONTH=0,13,-1,99999999999999999999;BYMONTHDAY=-99,0,99;INTERVAL=9223372036854775807;COUNT=-9223372036854775808;UNTIL=99999999T999999Z\r\n"),
 "secondly": ics("RRULE:FREQ=SECONDLY;INTERVAL=0;COUNT=1e308\r\n"),
 "many parts": ics("", more="BEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+2359\r\nRRULE:FREQ=YEARLY\r\nEND:STANDARD\r\n" * 10000),
 "nested": "BEGIN:VCALENDAR\r\n" + "BEGIN:X\r\n" * 200000, "depth": "BEGIN:VCALENDAR\r\n" + "BEGIN:VTIMEZONE\r\n" * 100000 + "END:VTIMEZONE\r\n" * 100000 + "END:VCALENDAR\r\n",
 "tzid": ics("").replace("TZID=X", 'TZID="' + "/a" * 200000 + '"'), "tzparen": ics("").replace("TZID=X", 'TZID="' + "(" * 300000 + '"').replace("TZID:X", "TZID:Y"), "places": ics("").replace("TZID=X", 'TZID="(UTC+01:00) ' + "Berlin " * 1 + "/Amsterdam" * 60000 + '"').replace("TZID:X", "TZID:Y"), "fold": ics("").replace("SUMMARY:a0", "SUMMARY:" + "\r\n x" * 300000)}
only = os.environ.get("ONLY"); res = {}
for k, t in cases.items():
    if only and k != only: continue
    put("z.ics", t); t0 = time.time(); rc, o, e = run("--local=" + ROOT + "/d", "import", "z.ics", "--progress", "none", "--resume", "no", timeout=45); res[k] = (rc, round(time.time() - t0, 1), len(t), e.strip().split("\n")[-1][-90:])
bad = {k: v for k, v in res.items() if v[0] == "TIMEOUT" or crashed(v[0], v[3])}
verdict(bad, f"bad {bad} all { {k: v[:2] for k, v in res.items()} }")
