#include "CLuaShims.h"
#include "internal.h"
#include <signal.h>

// How a suspended host call passes through coroutines of the script (as nmap's NSE does): the host yields a private
// tag; a nested coroutine.resume that sees the tag yields it on to its own parent, and when the driver resumes the
// outermost coroutine, each level resumes the one it was waiting for.

static const char tag;
// The sentinel that stops a script where it cannot yield.
static const char stopped[] = "interrupted";

int luas_suspend(lua_State *L, lua_KContext context, lua_KFunction continuation) {
    lua_pushlightuserdata(L, (void *)&tag);
    return lua_yieldk(L, 1, context, continuation);
}

bool luas_yieldedtag(lua_State *co, int nresults) {
    if (nresults == 0) return luas_gethost(co)->interrupted; // a hook yields without values
    return nresults == 1 && lua_touserdata(co, -1) == (void *)&tag;
}

// --- Stopping -------------------------------------------------------------------------------------------------------

static void stop_hook(lua_State *L, lua_Debug *activation) {
    (void)activation;
    if (!luas_gethost(L)->interrupted) {
        lua_sethook(L, NULL, 0, 0);
        return;
    }
    if (lua_isyieldable(L)) lua_yield(L, 0);
    else luaL_error(L, stopped);
}

void luas_interrupt(luas_host *host) {
    host->interrupted = 1;
    lua_State *running = host->running;
    if (running != NULL) lua_sethook(running, stop_hook, LUA_MASKCOUNT, 1);
}

static luas_host *volatile interrupt_target;

static void on_signal(int signal) {
    (void)signal;
    if (interrupt_target != NULL) luas_interrupt(interrupt_target);
}

void luas_interrupt_on(luas_host *host, int signal) {
    interrupt_target = host;
    struct sigaction action = {0};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
    // A thread inherits the mask of the one that started it, and pool threads block every signal.
    sigset_t unblocked;
    sigemptyset(&unblocked);
    sigaddset(&unblocked, signal);
    pthread_sigmask(SIG_UNBLOCK, &unblocked, NULL);
}

// --- Resuming -------------------------------------------------------------------------------------------------------

// lua_resume that keeps track of what runs, and hands the hook of an interrupt on to whoever runs next.
static int run(lua_State *co, lua_State *from, int nargs, int *nresults) {
    luas_host *host = luas_gethost(co);
    lua_State *before = host->running;
    host->running = co;
    if (host->interrupted) lua_sethook(co, stop_hook, LUA_MASKCOUNT, 1);
    int status = lua_resume(co, from, nargs, nresults);
    host->running = before;
    if (host->interrupted && from != NULL) lua_sethook(from, stop_hook, LUA_MASKCOUNT, 1);
    return status;
}

int luas_resume(lua_State *co, int nargs, int *nresults, bool *tagged) {
    luas_host *host = luas_gethost(co);
    int depth = host->swift_depth;
    lua_State *driven = host->driven;
    host->swift_depth = 0;
    host->driven = co;
    int status = run(co, NULL, nargs, nresults);
    host->driven = driven;
    host->swift_depth = depth;
    *tagged = status == LUA_YIELD && luas_yieldedtag(co, *nresults);
    return status;
}

// The registry's table of nested coroutines that wait for the host, by the coroutine that resumed them: what must be
// closed with it.
static const char waiting_key;

static void set_waiting(lua_State *L, lua_State *nested) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &waiting_key);
    lua_pushthread(L);
    if (nested == NULL) {
        lua_pushnil(L);
    } else {
        lua_pushthread(nested);
        lua_xmove(nested, L, 1);
    }
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

// Innermost first, as an error would unwind them. The depth is bounded: closing is recursion in C.
enum { deepest_nesting = 200 };

int luas_closethread(lua_State *co) {
    luas_host *host = luas_gethost(co);
    lua_State *chain[deepest_nesting];
    int count = 0;
    chain[count++] = co;
    while (count < deepest_nesting) {
        lua_State *last = chain[count - 1];
        lua_checkstack(last, 4);
        lua_rawgetp(last, LUA_REGISTRYINDEX, &waiting_key);
        lua_pushthread(last);
        lua_rawget(last, -2);
        lua_State *nested = lua_tothread(last, -1);
        lua_pop(last, 2);
        if (nested == NULL) break;
        set_waiting(last, NULL);
        chain[count++] = nested;
    }
    int depth = host->swift_depth;
    host->swift_depth = 0;
    int status = LUA_OK;
    for (int i = count - 1; i >= 0; i--) {
        lua_sethook(chain[i], NULL, 0, 0);
        status = lua_resetthread(chain[i]);
    }
    host->swift_depth = depth;
    return status;
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
    int status = run(co, L, nargs, &nresults);
    if (status == LUA_YIELD && luas_yieldedtag(co, nresults)) {
        lua_pop(co, nresults);
        if (!lua_isyieldable(L)) {
            // Not reached by host calls, which ask first; an interrupt stops here with its sentinel.
            lua_pushstring(L, stopped);
            return -1;
        }
        set_waiting(L, co);
        return -2;
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
    if (!lua_checkstack(co, nargs)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    if (lua_status(co) == LUA_OK && lua_gettop(co) == 0) {
        lua_pushliteral(L, "cannot resume dead coroutine");
        return -1;
    }
    lua_xmove(L, co, nargs);
    return resume_nested(L, co, nargs);
}

static int resume_finish(lua_State *L, lua_State *co, int count);

static int resume_go_on(lua_State *L, int status, lua_KContext context) {
    (void)status;
    lua_State *co = (lua_State *)context;
    set_waiting(L, NULL);
    return resume_finish(L, co, resume_nested(L, co, 0));
}

static int resume_finish(lua_State *L, lua_State *co, int count) {
    if (count == -2) return luas_suspend(L, (lua_KContext)co, resume_go_on);
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
    set_waiting(L, NULL);
    return wrap_finish(L, co, resume_nested(L, co, 0));
}

static int wrap_finish(lua_State *L, lua_State *co, int count) {
    if (count == -2) return luas_suspend(L, (lua_KContext)co, wrap_go_on);
    if (count >= 0) return count;
    int status = lua_status(co);
    if (status != LUA_OK && status != LUA_YIELD) { // an error in the coroutine: close its variables
        status = lua_resetthread(co);
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

static int co_wrap(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_pushcclosure(L, wrapped, 1);
    return 1;
}

// A script's outermost code runs in a coroutine of the host's, which it must not yield from.
static int co_yield(lua_State *L) {
    if (L == luas_gethost(L)->driven)
        return luaL_error(L, "coroutine.yield outside a coroutine (use it inside coroutine.create or coroutine.wrap)");
    return lua_yield(L, lua_gettop(L));
}

void luas_opencoroutine(lua_State *L) {
    lua_createtable(L, 0, 0);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &waiting_key);

    static const luaL_Reg functions[] = {
        {"resume", co_resume}, {"wrap", co_wrap}, {"yield", co_yield}, {NULL, NULL},
    };
    lua_getglobal(L, "coroutine");
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
