"""A linked script: what may it read? Modules by links out of the folder leak nothing; `arg` and names show no escapes."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
R_ = ROOT; os.makedirs(R_ + "/home2/bin"); os.makedirs(R_ + "/evil"); os.makedirs(R_ + "/priv"); 
open(R_ + "/home2/bin/secret.txt", "w").write("HOMESECRET"); open(R_ + "/evil/own.txt", "w").write("own"); open(R_ + "/priv/key", "w").write("PRIVKEY = = 'x'\n"); open(R_ + "/priv/key.lua", "w").write("PRIVKEY = = 'x'\n")
open(R_ + "/evil/real.lua", "w").write(f'''for _, p in ipairs {{ "{R_}/home2/bin/secret.txt", "{R_}/evil/own.txt", "{R_}/priv/key" }} do local ok, f = pcall(io.open, p); print(p:match "[^/]+$", ok and f and f:read "a" or "no") end
print(pcall(require, "leak")); print(pcall(require, "dir.key")); print(pcall(loadfile, "{R_}/evil/leak.lua")); print(pcall(dofile, "{R_}/evil/leak.lua")); print(pcall(require, "..priv.key")); print(pcall(require, "../priv/key")); package.path = "{R_}/priv/?.lua;{R_}/priv/?"; print(pcall(require, "key")); print(package.searchpath and pcall(package.searchpath, "key", "{R_}/priv/?"))''')
os.symlink(R_ + "/priv/key", R_ + "/evil/leak.lua"); os.symlink(R_ + "/priv", R_ + "/evil/dir"); os.symlink(R_ + "/evil/real.lua", R_ + "/home2/bin/x.lua")
os.symlink(R_ + "/evil/l2.lua", R_ + "/home2/bin/y.lua"); os.symlink(R_ + "/evil/real.lua", R_ + "/evil/l2.lua")
bad = []; outs = {}
for n, a in (("link", R_ + "/home2/bin/x.lua"), ("link link", R_ + "/home2/bin/y.lua"), ("real", R_ + "/evil/real.lua")):
    rc, o, e = run(a, cwd=R_ + "/priv" if 0 else R_); outs[n] = (rc, o, e[-300:])
    if "PRIVKEY" in o + e: bad.append((n, "PRIVKEY"))
    if "HOMESECRET" in o: bad.append((n, "reads the folder of the link"))
verdict(bad, f"{bad} {outs}")
