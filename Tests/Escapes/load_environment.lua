-- Looks for unguarded functions in other environments: of chunks, by _ENV, by upvalues.
-- From: getfenv and setfenv of Roblox; sandboxes that replace a global and leave the library unchanged.
local e = require "support"
e.gone(getfenv, "getfenv")
e.gone(setfenv, "setfenv")
local fresh = load("return _ENV", "fresh", "t")()
e.denied(fresh.io.open, e.outside .. "/canary.txt")
e.denied(_G._G._G.io.open, e.outside .. "/canary.txt")
e.denied(package.loaded._G.io.open, e.outside .. "/canary.txt")
e.denied(package.loaded.io.open, e.outside .. "/canary.txt")
local _ENV <const> = { e = e, load = load, next = next }
e.gone(load("return io", "x", "t", {})(), "io in an empty environment")
e.denied(load("return io.open", "x", "t")(), e.outside .. "/canary.txt")
e.held()
