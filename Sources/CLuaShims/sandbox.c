#include "internal.h"
#include <string.h>

// The standard libraries without what breaks out of Lua: compiled code, which Lua does not check, native code, and
// `debug`, which reaches into functions of the host.

// Sets argument `index`, the mode, to text only. False: only compiled code was asked for.
static bool force_text(lua_State *L, int index) {
    const char *mode = luaL_optstring(L, index, "bt");
    bool allows_text = strchr(mode, 't') != NULL;
    if (lua_gettop(L) < index) lua_settop(L, index);
    lua_pushliteral(L, "t");
    lua_replace(L, index);
    return allows_text;
}

// Calls the library's function, which is the first upvalue, with the arguments.
static int call_original(lua_State *L) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static int refuse_compiled(lua_State *L) {
    lua_pushnil(L);
    lua_pushliteral(L, "compiled code cannot be loaded, only source text (mode \"t\")");
    return 2;
}

static int text_load(lua_State *L) {
    if (!lua_isstring(L, 1)) luaL_checktype(L, 1, LUA_TFUNCTION);
    return force_text(L, 3) ? call_original(L) : refuse_compiled(L);
}

static int text_loadfile(lua_State *L) {
    const char *name = luaL_optstring(L, 1, NULL);
    bool has_environment = !lua_isnone(L, 3);
    if (strchr(luaL_optstring(L, 2, "bt"), 't') == NULL) return refuse_compiled(L);
    if (luas_loadfile(L, "loadfile", name) != LUA_OK) {
        luaL_pushfail(L);
        lua_insert(L, -2);
        return 2;
    }
    if (has_environment) {
        lua_pushvalue(L, 3);
        lua_setupvalue(L, -2, 1);
    }
    return 1;
}

static int finish_dofile(lua_State *L, int status, lua_KContext context) {
    (void)status;
    (void)context;
    return lua_gettop(L) - 1;
}

static int text_dofile(lua_State *L) {
    const char *name = luaL_optstring(L, 1, NULL);
    lua_settop(L, 1);
    if (luas_loadfile(L, "dofile", name) != LUA_OK) return lua_error(L);
    lua_callk(L, 0, LUA_MULTRET, 0, finish_dofile);
    return finish_dofile(L, 0, 0);
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
    lua_pushglobaltable(L);
    wrap(L, "load", text_load);
    wrap(L, "loadfile", text_loadfile);
    wrap(L, "dofile", text_dofile);
    lua_pop(L, 1);

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
