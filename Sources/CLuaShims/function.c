#include "CLuaShims.h"
#include "internal.h"

static int act(lua_State *L, luas_host *host, void *function, int code);

// The approximate size of a closure's Swift object, in bytes.
enum { closure_weight = 160 };

// Runs when the driver resumes a coroutine that a host function had suspended.
static int go_on(lua_State *L, int status, lua_KContext context) {
    (void)status;
    luas_host *host = luas_gethost(L);
    void *function = (void *)context;
    lua_pop(L, luas_suspended_values);
    void *outer = host->invoked;
    host->invoked = function;
    host->swift_depth++;
    int code = host->complete(L, function);
    host->swift_depth--;
    host->invoked = outer;
    return act(L, host, function, code);
}

// Acts on the code that Swift returned, now that no Swift frame is left below.
static int act(lua_State *L, luas_host *host, void *function, int code) {
    if (host->limit != 0 && host->used > host->limit) {
        lua_gc(L, LUA_GCCOLLECT);
        if (host->used > host->limit) return luaL_error(L, "not enough memory");
    }
    if (code >= 0) return code;
    if (code == LUAS_SUSPEND) return luas_suspend(L, NULL, (lua_KContext)function, go_on);
    return lua_error(L);
}

static int call(lua_State *L, void *function) {
    luas_host *host = luas_gethost(L);
    host->progress++;
    void *outer = host->invoked;
    host->invoked = function;
    host->swift_depth++;
    int code = host->invoke(L, function);
    host->swift_depth--;
    host->invoked = outer;
    return act(L, host, function, code);
}

static int trampoline(lua_State *L) { return call(L, lua_touserdata(L, lua_upvalueindex(1))); }

static int owning_trampoline(lua_State *L) { return call(L, *(void **)lua_touserdata(L, lua_upvalueindex(1))); }

void luas_pushfunction(lua_State *L, void *function) {
    lua_pushlightuserdata(L, function);
    lua_pushcclosure(L, trampoline, 1);
}

// The short way for questions: they raise nothing, suspend nothing and allocate nothing.
static int question(lua_State *L) {
    luas_host *host = *(luas_host **)lua_getextraspace(L);
    lua_pushboolean(L, host->ask(lua_touserdata(L, lua_upvalueindex(1))));
    return 1;
}

void luas_pushquestion(lua_State *L, void *function) {
    lua_pushlightuserdata(L, function);
    lua_pushcclosure(L, question, 1);
}

void luas_pushclosure(lua_State *L, void *function, int owner_metatable) {
    luas_pushobject(L, function, owner_metatable, closure_weight);
    lua_pushcclosure(L, owning_trampoline, 1);
}

void *luas_tofunction(lua_State *L, int index) {
    lua_CFunction function = lua_tocfunction(L, index);
    if (function != trampoline && function != owning_trampoline) return NULL;
    lua_getupvalue(L, index, 1);
    void *value = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return function == trampoline || value == NULL ? value : *(void **)value;
}

// The address marks metatables of host objects.
static const char object_mark;

// The content of a userdata that the host made.
typedef struct holder {
    void *object;
    size_t weight;
} holder;

void luas_pushobject(lua_State *L, void *object, int metatable, size_t weight) {
    holder *block = lua_newuserdatauv(L, sizeof *block, 0);
    *block = (holder){.object = object, .weight = weight};
    luas_gethost(L)->used += weight;
    lua_rawgeti(L, LUA_REGISTRYINDEX, metatable);
    lua_setmetatable(L, -2);
}

void *luas_toobject(lua_State *L, int index) {
    if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
    lua_rawgetp(L, -1, &object_mark);
    bool marked = lua_toboolean(L, -1);
    lua_pop(L, 2);
    holder *block = lua_touserdata(L, index);
    return marked ? block->object : NULL;
}

// The block is emptied, so that an object closed by hand and collected later is released once.
static int collect(lua_State *L) {
    holder *block = lua_touserdata(L, 1);
    luas_host *host = luas_gethost(L);
    if (block != NULL && block->object != NULL) {
        void *object = block->object;
        block->object = NULL;
        host->used -= block->weight;
        host->swift_depth++;
        host->release(object);
        host->swift_depth--;
    }
    return 0;
}

void luas_objectmetatable(lua_State *L) {
    lua_pushcfunction(L, collect);
    lua_pushliteral(L, "__gc");
    lua_insert(L, -2);
    lua_rawset(L, -3);
    lua_pushboolean(L, 1);
    lua_rawsetp(L, -2, &object_mark);
    // getmetatable returns this value instead of the table.
    lua_pushliteral(L, "__metatable");
    lua_pushboolean(L, 0);
    lua_rawset(L, -3);
}
