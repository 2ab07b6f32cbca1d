#include "CLuaShims.h"
#include "internal.h"

// The coroutines that scripts make, to say at the end which of them were not run to theirs.

// The address is the registry's key of a table that has them as its keys, which it does not keep alive.
static const char coroutines;

void luas_opentracking(lua_State *L) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &coroutines);
}

lua_State *luas_newcoroutine(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &coroutines);
    lua_pushvalue(L, -2);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
    lua_pop(L, 1);
    return co;
}

int luas_unfinished(lua_State *L, lua_State **list, int most) {
    int count = 0;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &coroutines);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        lua_State *co = lua_tothread(L, -2);
        // One that was never resumed stands nowhere; one that waits for the host is somebody's.
        if (lua_status(co) != LUA_YIELD || luas_iswaiting(co) || luas_ishalted(co)) continue;
        if (count < most) list[count] = co;
        count++;
    }
    lua_pop(L, 1);
    return count;
}
