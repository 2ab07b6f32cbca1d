// Tests of Lua.
