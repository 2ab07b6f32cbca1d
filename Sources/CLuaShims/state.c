#include "CLuaShims.h"
#include "internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// lua_newstate's allocator: counts what is in use, and refuses above the limit unless Swift is in control.
static void *allocate(void *context, void *block, size_t old_size, size_t new_size) {
    luas_host *host = context;
    if (block == NULL) old_size = 0; // then it is the kind of object to come
    if (new_size == 0) {
        free(block);
        host->used -= old_size;
        return NULL;
    }
    bool bypassed = host->swift_depth > 0;
    if (!bypassed && host->limit != 0 && new_size > old_size && host->used + (new_size - old_size) > host->limit)
        return NULL;
    void *result = realloc(block, new_size);
    if (result == NULL) {
        // Lua would raise an error through Swift frames, or fail to shrink, which it takes for impossible.
        if (bypassed || new_size <= old_size) {
            fputs("b2c-run: the system has no memory left\n", stderr);
            abort();
        }
        return NULL;
    }
    host->used += new_size - old_size;
    return result;
}

luas_host *luas_gethost(lua_State *L) { return *(luas_host **)lua_getextraspace(L); }

// An error outside any protected call is a mistake in the host, not in a script.
static int panic(lua_State *L) {
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "no message";
    fprintf(stderr, "b2c-run: unprotected error in Lua: %s\n", message);
    return 0;
}

lua_State *luas_newstate(luas_host *host, size_t limit) {
    host->used = 0;
    host->limit = limit;
    host->swift_depth = 1;
    lua_State *L = lua_newstate(allocate, host);
    if (L == NULL) return NULL;
    // New threads copy the main thread's extra space.
    *(luas_host **)lua_getextraspace(L) = host;
    lua_atpanic(L, panic);
    return L;
}

static int open_all(lua_State *L) {
    // Keeps LUA_PATH_5_4 and LUA_INIT of the environment out of package.path.
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
    luaL_openlibs(L);
    luas_opencoroutine(L);
    return 0;
}

int luas_openlibs(lua_State *L) {
    lua_pushcfunction(L, open_all);
    return lua_pcall(L, 0, 0, 0);
}

static int next_pair(lua_State *L) { return lua_next(L, 1) ? 2 : 0; }

int luas_next(lua_State *L, int index) {
    index = lua_absindex(L, index);
    int below = lua_gettop(L) - 1;
    lua_pushcfunction(L, next_pair);
    lua_insert(L, -2);
    lua_pushvalue(L, index);
    lua_insert(L, -2);
    if (lua_pcall(L, 2, LUA_MULTRET, 0) != LUA_OK) return -1;
    return lua_gettop(L) > below;
}

static int to_string(lua_State *L) {
    luaL_tolstring(L, 1, NULL);
    return 1;
}

const char *luas_tolstring(lua_State *L, int index, size_t *length) {
    index = lua_absindex(L, index);
    luas_host *host = luas_gethost(L);
    int depth = host->swift_depth;
    host->swift_depth = 0;
    lua_pushcfunction(L, to_string);
    lua_pushvalue(L, index);
    int status = lua_pcall(L, 1, 1, 0);
    host->swift_depth = depth;
    if (status != LUA_OK) {
        lua_pop(L, 1);
        lua_pushliteral(L, "(a value whose description failed)");
    }
    return lua_tolstring(L, -1, length);
}
