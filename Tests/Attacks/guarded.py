"""CSV made by an enemy with _import and _guarded columns: no claim of another account's or unknown import counts, no row is lost without a word, odd cells do nothing."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
def imp(f, *a): return run("--local=" + ROOT + "/data", "import", f, "--progress", "none", *a)
put("victim.csv", "Text,Due\nsafe,\n,2027-01-31\n,2027-02-01\n"); r1 = imp("victim.csv")
fc = open(ROOT + "/work/victim.csv.failed.csv").read(); jid = re.search(r"\[([0-9a-z]+)-\d+\]", fc).group(1)
bad = []
# 1: claims of rows that never failed: the row must not be lost without a word
put("e1.csv", f"_import,Text\nrow 1: x [{jid}-1],mine one\nrow 9: x [{jid}-999],mine two\nrow 2: [zzzzzzzzzzzzzzzz-1],mine three\n"); r2 = imp("e1.csv")
added = re.search(r"added +(\d+)", r2[1] + r2[2]); said = re.search(r"skip|settled|already", r2[1] + r2[2])
if (not added or added.group(1) != "3") and not said: bad.append(("rows lost silently", r2))
# 2: odd cells
put("e2.csv", "_import,_guarded,Text\n" + "\n".join([f"[{jid}-9223372036854775807],x,a", f"[{jid}-99999999999999999999],x,b", f"[{jid}--1],x,c", "[" + (jid + "-2 ") * 50000 + "],x,d", "[[[[]]]],x,e", "[\0-1],x,'=f"]) + "\n"); t0 = time.time(); r3 = imp("e2.csv"); dt = time.time() - t0
if crashed(r3[0], r3[2]) or dt > 20: bad.append(("odd cells", r3[0], dt, r3[2][-200:]))
put("e3.ndjson", "\n".join(json.dumps(x) for x in [{"Text": "a", "_import": {"row": 9223372036854775807, "reason": "x"}}, {"Text": "b", "_import": {"row": -1, "reason": "x"}}, {"Text": "c", "_import": {"from": [jid + "-2"] * 1000, "row": 1e300}}, {"Text": "d", "_import": [1]}, {"_import": {"fields": ["x"] * 100}}, {"_import": {}}, {"Text": "g", "_import": {"row": 2, "reason": ["x"]}}]) + "\n"); r4 = imp("e3.ndjson")
if crashed(r4[0], r4[2]): bad.append(("odd members", r4[0], r4[2][-300:]))
# 3: an enemy knows the ID (a failed file was shared): one row claims all failed rows of the victim
r5 = imp("victim.csv")
# 4: guard roundtrip
put("g.csv", "_guarded,Text\nx,'=1+1\nx,''quoted\nx,'plain\nx,=raw\n"); r6 = imp("g.csv"); ex = run("--local=" + ROOT + "/data", "export", "-", "--format", "csv")
verdict(bad, f"{bad} first {r1[0]} e1 {r2[0]} {(r2[1] + r2[2])[-500:]!r} again {r5[0]} {r5[1][:200]!r} guard {[l for l in ex[1].splitlines() if 'quoted' in l or '1+1' in l or 'raw' in l or 'plain' in l]}")
