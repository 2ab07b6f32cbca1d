"""NO_PROXY forms: a host that is not listed goes to the proxy, one that is goes direct, whatever the spelling."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
px = Server(lambda r: (502, [], b"via proxy"))
def via(url, nop):
    put("p.lua", f'local b2c = require "b2c"\nlocal ok, r = pcall(b2c.http.get, "{url}", {{ raise = false, timeout = 3 }})\nprint(ok and r.status or r.message or r)')
    n = len(px.log); rc, o, e = lua(open(ROOT + "/work/p.lua").read(), "-A", env_=env(http_proxy=px.url, NO_PROXY=nop), timeout=20); return len(px.log) > n, rc, (o + e)[-80:]
cases = [("http://evilexample.com/", "example.com", True), ("http://a.example.com/", "*.example.com", False), ("http://example.com.evil.com/", "example.com", True), ("http://[2001:db8::1]/", "2001:db8::/32", False), ("http://[2001:db9::1]/", "2001:db8::/32", True), ("http://10.0.0.1/", "10.0.0.0/999", True), ("http://10.0.0.1/", "10.0.0.0/-1", True), ("http://10.0.0.1/", "/0", True), ("http://10.0.0.1/", "10.0.0.1:81", True), ("http://[::ffff:10.0.0.1]/", "10.0.0.0/8", None), ("http://10.0.0.1./", "10.0.0.1", None), ("http://example.com./", "example.com", None), ("http://example.com/", ",,, ,", True), ("http://example.com/", ".", True), ("http://example.com/", "*.", True), ("http://example.com/", "com:", None), ("http://example.com/", "\u212aexample.com", True), ("http://192.168.1.1/", "192.168.1.0/33", True), ("http://192.168.1.1/", "192.168.1.0/99999999999999999999", True), ("http://[2001:db8::1]/", "[2001:db8::]/129", True), ("http://a.b/", "x" * 100000, True), ("http://a.b/", "10.0.0.0/8," * 5000, True), ("http://example.com/", "%", True)]
bad = []; res = []
for u, n, want in cases:
    got, rc, o = via(u, n); res.append((u, n[:24], got))
    if want is not None and got != want or rc not in (0, 1): bad.append((u, n[:40], got, rc, o))
verdict(bad, f"{bad} {[r for r in res][9:12]}")
