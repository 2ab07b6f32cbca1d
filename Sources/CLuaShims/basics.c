#include "internal.h"
#include <string.h>

// Functions of the basic library that catch errors, or that could reach the host's values.

// --- Catching errors ------------------------------------------------------------------------------------------------

// Returns the results of pcall or xpcall. `below` is the count of values that stay on the stack.
static int finish_call(lua_State *L, int status, lua_KContext below) {
    if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)below;
    luas_poll(L);
    lua_pushboolean(L, 0);
    lua_pushvalue(L, -2);
    return 2;
}

static int protected_call(lua_State *L) {
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    const luas_watcher *watcher = luas_gethost(L)->watcher;
    if (watcher != NULL && watcher->wants_errors) {
        lua_pushcfunction(L, luas_tellraised);
        lua_insert(L, 1);
        return finish_call(L, lua_pcallk(L, lua_gettop(L) - 3, LUA_MULTRET, 1, 1, finish_call), 1);
    }
    return finish_call(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_call), 0);
}

static int handled_call(lua_State *L) {
    int count = lua_gettop(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushboolean(L, 1);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2);
    return finish_call(L, lua_pcallk(L, count - 2, LUA_MULTRET, 2, 2, finish_call), 2);
}

// --- Metatables -----------------------------------------------------------------------------------------------------

// Each of these functions has the library's function as its upvalue. The library's function finds the arguments unchanged.
static int library(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(1))(L); }

static int safe_setmetatable(lua_State *L) {
    if (lua_istable(L, 2)) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "setmetatable: a metatable with __gc is refused, for finalizers would run at any moment: "
                "give it __close, and keep the object in a variable: local name <close> = …");
        lua_pop(L, 1);
    }
    return library(L);
}

static const char read_only_mark;

void luas_markreadonly(lua_State *L) {
    lua_pushboolean(L, 1);
    lua_rawsetp(L, -2, &read_only_mark);
}

static int safe_rawset(lua_State *L) {
    if (lua_istable(L, 1) && lua_getmetatable(L, 1)) {
        if (lua_rawgetp(L, -1, &read_only_mark) != LUA_TNIL) {
            lua_getfield(L, -2, "__name");
            return luaL_error(L, "rawset: %s is read-only", lua_tostring(L, -1));
        }
        lua_pop(L, 2);
    }
    return library(L);
}

// --- Others ---------------------------------------------------------------------------------------------------------

static int count_garbage(lua_State *L) {
    const char *option = luaL_optstring(L, 1, "collect");
    if (strcmp(option, "count") != 0)
        return luaL_error(L, "collectgarbage: only \"count\" is there, got \"%s\": the host collects garbage by itself", option);
    return library(L);
}

// Addresses reveal the places of the process's code and data.
static bool has_address(const char *format, size_t length) {
    const char *end = format + length;
    while ((format = memchr(format, '%', (size_t)(end - format))) != NULL) {
        format += 1 + strspn(format + 1, "-+ #0123456789.");
        if (*format == 'p') return true;
        if (format < end) format++;
    }
    return false;
}

static int safe_format(lua_State *L) {
    size_t length;
    const char *format = luaL_checklstring(L, 1, &length);
    if (has_address(format, length))
        return luaL_error(L, "string.format: '%%p' is refused: addresses in memory stay inside (use '%%s')");
    return library(L);
}

static void wrap(lua_State *L, const char *name, lua_CFunction function) {
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, -2, name);
}

void luas_openbasics(lua_State *L) {
    lua_pushglobaltable(L);
    lua_pushcfunction(L, protected_call);
    lua_setfield(L, -2, "pcall");
    lua_pushcfunction(L, handled_call);
    lua_setfield(L, -2, "xpcall");
    wrap(L, "setmetatable", safe_setmetatable);
    wrap(L, "rawset", safe_rawset);
    wrap(L, "collectgarbage", count_garbage);
    lua_pop(L, 1);
    lua_getglobal(L, LUA_STRLIBNAME);
    wrap(L, "format", safe_format);
    lua_pop(L, 1);
    // Code with the metatable of strings could change the behavior of strings for all other code.
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 2);
}
