#include "internal.h"
#include <string.h>

// The standard libraries without what breaks out of Lua: compiled code, which Lua does not check, native code, and
// `debug`, which reaches into functions of the host.

// Calls the library's function, which is the first upvalue, with the arguments.
static int call_original(lua_State *L) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

// debug.getinfo without the function itself.
static int safe_getinfo(lua_State *L) {
    int what = lua_isthread(L, 1) ? 3 : 2;
    luaL_checkany(L, what - 1);
    const char *options = luaL_optstring(L, what, "Slnrtu");
    luaL_argcheck(L, strspn(options, "SlnrtuL") == strlen(options), what, "expected letters out of \"SlnrtuL\"");
    lua_settop(L, what - 1);
    // The library's function finds this one between itself and its caller.
    if (lua_isinteger(L, what - 1) && (what == 2 || lua_tothread(L, 1) == L)) {
        lua_pushinteger(L, luaL_checkinteger(L, what - 1) + 1);
        lua_replace(L, what - 1);
    }
    lua_pushstring(L, options);
    return call_original(L);
}

// Replaces the field `name` of the table on top by `function` with the original as its upvalue.
static void wrap(lua_State *L, const char *name, lua_CFunction function) {
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, -2, name);
}

static void remove_field(lua_State *L, const char *table, const char *name) {
    lua_getglobal(L, table);
    lua_pushnil(L);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void luas_harden(lua_State *L) {
    luas_openbasics(L);
    luas_openbounded(L);
    luas_openpatterns(L);
    luas_openloading(L);
    remove_field(L, "string", "dump");
    remove_field(L, "package", "loadlib");
    remove_field(L, "package", "cpath");
    remove_field(L, "package", "searchers");

    lua_getglobal(L, "debug");
    wrap(L, "getinfo", safe_getinfo);
    static const char *const kept[] = {"getinfo", "traceback"};
    lua_createtable(L, 0, sizeof kept / sizeof *kept);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        lua_getfield(L, -2, kept[i]);
        lua_setfield(L, -2, kept[i]);
    }
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, LUA_DBLIBNAME);
    lua_pop(L, 1);
    lua_setglobal(L, LUA_DBLIBNAME);
    lua_pop(L, 1);
}
