#include "CLuaShims.h"
#include "internal.h"

// A suspended host call passes through the script's coroutines as in nmap's NSE. The host yields a private tag. A nested
// coroutine.resume that sees the tag yields the tag to its own parent. When the driver resumes the outermost coroutine,
// each level resumes the coroutine that it was waiting for.

static const char tag;

int luas_suspend(lua_State *L, lua_State *nested, lua_KContext context, lua_KFunction continuation) {
    if (nested == NULL) {
        lua_pushnil(L);
    } else {
        lua_pushthread(nested);
        lua_xmove(nested, L, 1);
    }
    lua_pushlightuserdata(L, (void *)&tag);
    return lua_yieldk(L, luas_suspended_values, context, continuation);
}

bool luas_iswaiting(lua_State *co) {
    return lua_status(co) == LUA_YIELD && lua_gettop(co) >= luas_suspended_values
        && lua_touserdata(co, -1) == (void *)&tag;
}

// Waits for the host, or was halted by a watcher.
static bool is_held(lua_State *co) { return luas_iswaiting(co) || luas_ishalted(co); }

// The same, or true if the hook of an interrupt suspended the coroutine; hooks yield without values.
static bool is_stopped(lua_State *co, int nresults) {
    return luas_iswaiting(co) || (nresults == 0 && (luas_isstopping(luas_gethost(co)) || luas_ishalted(co)));
}

// --- Resuming -------------------------------------------------------------------------------------------------------

int luas_resume(lua_State *co, int nargs) {
    luas_host *host = luas_gethost(co);
    int depth = host->swift_depth, nresults;
    lua_State *driven = host->driven;
    host->swift_depth = 0;
    host->driven = co;
    int status = luas_run(co, NULL, nargs, &nresults);
    host->driven = driven;
    host->swift_depth = depth;
    return status;
}

// The depth is bounded: resuming is recursion in C.
enum { deepest_nesting = 200 };

int luas_closethread(lua_State *co) {
    luas_host *host = luas_gethost(co);
    lua_State *chain[deepest_nesting];
    int count = 0;
    for (lua_State *next = co; next != NULL && count < deepest_nesting;) {
        chain[count++] = next;
        next = luas_iswaiting(next) ? lua_tothread(next, -luas_suspended_values) : NULL;
    }
    int depth = host->swift_depth;
    host->swift_depth = 0;
    // Innermost first, as an error would unwind them.
    for (int i = count - 1; i > 0; i--) {
        luas_resetthread(chain[i], NULL);
        lua_settop(chain[i], 0);
    }
    int status = luas_resetthread(co, NULL);
    host->swift_depth = depth;
    return status;
}

int luas_chain(const luas_host *host, lua_State *driven, lua_State **chain, int most) {
    int count = 0;
    for (const luas_activation *at = host->activation; at != NULL && count < most; at = at->outer) {
        chain[count++] = at->coroutine;
        if (at->coroutine == driven) return count;
    }
    count = 0;
    for (lua_State *next = driven; next != NULL && count < most; count++) {
        for (int i = count; i > 0; i--) chain[i] = chain[i - 1];
        chain[0] = next;
        next = luas_iswaiting(next) ? lua_tothread(next, -luas_suspended_values) : NULL;
    }
    return count;
}

static lua_State *check_coroutine(lua_State *L) {
    lua_State *co = lua_tothread(L, 1);
    luaL_argexpected(L, co, 1, "coroutine");
    return co;
}

// Resumes `co`, whose arguments it already has. Returns the number of values moved to L, or -1 with the error there;
// -2: the host has suspended it, and the caller must suspend too.
static int resume_nested(lua_State *L, lua_State *co, int nargs) {
    int nresults;
    int status = luas_run(co, L, nargs, &nresults);
    if (status == LUA_YIELD && is_stopped(co, nresults)) {
        if (lua_isyieldable(L)) return -2;
        // Host calls do not reach this line, because they check first. A stop continues from here as an error.
        luas_stop(L);
    }
    if (status == LUA_OK || status == LUA_YIELD) {
        if (!lua_checkstack(L, nresults + 1)) {
            lua_pop(co, nresults);
            lua_pushliteral(L, "too many results to resume");
            return -1;
        }
        lua_xmove(co, L, nresults);
        return nresults;
    }
    lua_xmove(co, L, 1);
    return -1;
}

static int start_nested(lua_State *L, lua_State *co, int nargs) {
    luas_checkcstack(L);
    if (is_held(co)) {
        lua_pushliteral(L, "cannot resume non-suspended coroutine: it is waiting for a host function");
        return -1;
    }
    if (!lua_checkstack(co, nargs)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, co, nargs);
    return resume_nested(L, co, nargs);
}

static int resume_finish(lua_State *L, lua_State *co, int count);

static int resume_go_on(lua_State *L, int status, lua_KContext context) {
    (void)status;
    lua_State *co = (lua_State *)context;
    lua_pop(L, luas_suspended_values);
    return resume_finish(L, co, resume_nested(L, co, 0));
}

static int resume_finish(lua_State *L, lua_State *co, int count) {
    if (count == -2) return luas_suspend(L, co, (lua_KContext)co, resume_go_on);
    if (count == -1) luas_poll(L);
    lua_pushboolean(L, count >= 0);
    if (count < 0) count = 1;
    lua_insert(L, -(count + 1));
    return count + 1;
}

static int co_resume(lua_State *L) {
    lua_State *co = check_coroutine(L);
    return resume_finish(L, co, start_nested(L, co, lua_gettop(L) - 1));
}

static int wrap_finish(lua_State *L, lua_State *co, int count);

static int wrap_go_on(lua_State *L, int status, lua_KContext context) {
    (void)status;
    lua_State *co = (lua_State *)context;
    lua_pop(L, luas_suspended_values);
    return wrap_finish(L, co, resume_nested(L, co, 0));
}

static int wrap_finish(lua_State *L, lua_State *co, int count) {
    if (count == -2) return luas_suspend(L, co, (lua_KContext)co, wrap_go_on);
    if (count >= 0) return count;
    int status = lua_status(co);
    if (status != LUA_OK && status != LUA_YIELD) { // an error in the coroutine: close its variables
        status = luas_resetthread(co, L);
        lua_xmove(co, L, 1);
    }
    if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) { // as the standard library: say where
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int wrapped(lua_State *L) {
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    return wrap_finish(L, co, start_nested(L, co, lua_gettop(L)));
}

static int co_create(lua_State *L) {
    luas_newcoroutine(L);
    return 1;
}

static int co_wrap(lua_State *L) {
    luas_newcoroutine(L);
    lua_pushcclosure(L, wrapped, 1);
    return 1;
}

// A script's outermost code runs in a coroutine of the host's, which it must not yield from.
static int co_yield(lua_State *L) {
    if (L == luas_gethost(L)->driven)
        return luaL_error(L, "coroutine.yield outside a coroutine (use it inside coroutine.create or coroutine.wrap)");
    return lua_yield(L, lua_gettop(L));
}

static const char *status_of(lua_State *L, lua_State *co) {
    if (L == co) return "running";
    lua_Debug frame;
    switch (lua_status(co)) {
    case LUA_YIELD: return is_held(co) ? "normal" : "suspended";
    case LUA_OK:
        if (lua_getstack(co, 0, &frame)) return "normal";
        return lua_gettop(co) == 0 ? "dead" : "suspended";
    default: return "dead";
    }
}

static int co_status(lua_State *L) {
    lua_pushstring(L, status_of(L, check_coroutine(L)));
    return 1;
}

static int co_close(lua_State *L) {
    lua_State *co = check_coroutine(L);
    const char *status = status_of(L, co);
    luas_checkcstack(L);
    if (is_held(co)) return luaL_error(L, "cannot close a coroutine that is waiting for a host function");
    if (status[0] == 'r' || status[0] == 'n') return luaL_error(L, "cannot close a %s coroutine", status);
    if (luas_resetthread(co, L) == LUA_OK) {
        lua_pushboolean(L, 1);
        return 1;
    }
    luas_poll(L);
    lua_pushboolean(L, 0);
    lua_xmove(co, L, 1);
    return 2;
}

// As seen from the script, its outermost code is the main coroutine.
static bool is_main(lua_State *L) { return L == luas_gethost(L)->driven || L == luas_gethost(L)->main; }

static int co_running(lua_State *L) {
    lua_pushthread(L);
    lua_pushboolean(L, is_main(L));
    return 2;
}

static int co_isyieldable(lua_State *L) {
    lua_State *co = lua_isnone(L, 1) ? L : check_coroutine(L);
    lua_pushboolean(L, !is_main(co) && lua_isyieldable(co));
    return 1;
}

void luas_opencoroutine(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"close", co_close}, {"create", co_create}, {"isyieldable", co_isyieldable}, {"resume", co_resume},
        {"running", co_running}, {"status", co_status}, {"wrap", co_wrap}, {"yield", co_yield}, {NULL, NULL},
    };
    luas_opentracking(L);
    lua_getglobal(L, "coroutine");
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
