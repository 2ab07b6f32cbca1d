#include "CLuaShims.h"
#include "internal.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// lua_newstate's allocator: counts what is in use, and refuses above the limit unless Swift is in control.
static void *allocate(void *context, void *block, size_t old_size, size_t new_size) {
    luas_host *host = context;
    if (block == NULL) old_size = 0; // then it is the kind of object to come
    if (new_size == 0) {
        luas_resize(&host->pool, block, old_size, 0);
        host->used -= old_size;
        return NULL;
    }
    bool bypassed = host->swift_depth > 0;
    if (host->limit != 0 && new_size > old_size && host->used + (new_size - old_size) > host->limit
        && !bypassed)
        return NULL;
    void *result = luas_resize(&host->pool, block, old_size, new_size);
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
    host->main = L;
    lua_atpanic(L, panic);
    return L;
}

void luas_close(luas_host *host) {
    luas_forget(host);
    host->swift_depth = 0;
    lua_close(host->main);
    luas_freepool(&host->pool);
}

static int open_all(lua_State *L) {
    // Keeps LUA_PATH_5_4 and LUA_INIT of the environment out of package.path.
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
    luaL_openlibs(L);
    luas_opencoroutine(L);
    luas_guard(L);
    luas_harden(L);
    return 0;
}

int luas_openlibs(lua_State *L) {
    lua_pushcfunction(L, open_all);
    return lua_pcall(L, 0, 0, 0);
}

void luas_collectdue(lua_State *L) {
    luas_host *host = luas_gethost(L);
    // Lua's own rule: when twice as much is in use as the last collection left; and that is more than a little.
    if (host->used <= 2 * host->used_after_collecting + ((size_t)8 << 20) || !lua_gc(L, LUA_GCISRUNNING)) return;
    lua_gc(L, LUA_GCCOLLECT);
    host->used_after_collecting = host->used;
}

void luas_collectall(lua_State *L) { lua_gc(L, LUA_GCCOLLECT); }

bool luas_stopcollecting(lua_State *L) {
    bool collects = lua_gc(L, LUA_GCISRUNNING);
    if (collects) lua_gc(L, LUA_GCSTOP);
    return collects;
}

void luas_collectagain(lua_State *L, bool collects) {
    if (!collects) return;
    // Lua would begin a collection at once, and have to begin anew when the values are dropped soon. A step backwards lets
    // it wait, as after a collection, until as much again has been made.
    lua_gc(L, LUA_GCRESTART);
    size_t kilobytes = luas_gethost(L)->used >> 10;
    lua_gc(L, LUA_GCSTEP, kilobytes < INT_MAX ? -(int)kilobytes : -INT_MAX);
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
    luas_checkcstack(L);
    luaL_tolstring(L, 1, NULL);
    return 1;
}

// On the running coroutine, where an interrupt reaches it and the depth of calls is counted; without one, on a new one.
static void describe(lua_State *L, luas_host *host) {
    lua_State *before = host->running;
    lua_State *runner = before != NULL ? before : lua_newthread(L);
    if (before == NULL) lua_insert(L, -2);
    if (lua_checkstack(runner, 4)) {
        lua_pushcfunction(runner, to_string);
        if (runner != L) lua_xmove(L, runner, 1);
        else lua_insert(L, -2);
        int depth = host->swift_depth;
        bool can_wait = host->can_wait;
        host->swift_depth = 0;
        host->can_wait = false;
        host->running = runner;
        luas_watch(runner);
        int status = lua_pcall(runner, 1, 1, 0);
        host->running = before;
        host->can_wait = can_wait;
        host->swift_depth = depth;
        if (status != LUA_OK) {
            lua_pop(runner, 1);
            lua_pushnil(runner);
        }
        if (runner != L) lua_xmove(runner, L, 1);
    }
    if (before == NULL) lua_remove(L, -2);
}

const char *luas_tolstring(lua_State *L, int index, size_t *length) {
    lua_pushvalue(L, index);
    // A string is its own description, also when there is no memory left to look for another.
    if (lua_type(L, -1) != LUA_TSTRING) describe(L, luas_gethost(L));
    if (lua_type(L, -1) != LUA_TSTRING) {
        lua_pop(L, 1);
        lua_pushliteral(L, "(a value whose description failed)");
    }
    return lua_tolstring(L, -1, length);
}
