#define _GNU_SOURCE
#include "CLuaShims.h"
#include "internal.h"
#include <pthread.h>
#include <signal.h>
#include <time.h>

// This file knows which code runs at this moment, and stops that code or asks for its place.
//
// A signal to the thread that runs Lua sets a hook, which runs at the next instruction. The hook yields to the driver if it
// can; otherwise it raises an error. Functions that catch errors for a script, such as pcall, recognize this error and raise
// it again. C code that takes long checks for requests by itself, see luas_poll.

enum {
    // The count of instructions between two readings of the clock, while the remaining code of a stopping script runs.
    slice = 10000,
    // The processor time that all `<close>` variables together may use then, in ns.
    budget = 50 * 1000 * 1000,
};

// The processor time of this thread, which others cannot use up.
static uint64_t cpu_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool has_budget(luas_host *host) {
    uint64_t now = cpu_time();
    if (host->budget_end == 0) host->budget_end = now + budget;
    return now < host->budget_end;
}

__attribute__((noreturn)) static void raise_stop(lua_State *L) {
    // Lua's own words for an error that no message handler gets to see.
    lua_pushliteral(L, "not enough memory");
    lua_error(L);
    __builtin_unreachable();
}

static void report(luas_host *host) {
    if (!luas_takereport(host)) return;
    host->swift_depth++;
    host->report(host);
    host->swift_depth--;
}

static void hook(lua_State *L, lua_Debug *activation) {
    (void)activation;
    luas_host *host = luas_gethost(L);
    report(host);
    if (!luas_isstopping(host)) {
        luas_restorehook(L);
        // A signal may have come between the report and this.
        luas_watch(L);
        return;
    }
    if (host->closing > 0) {
        if (has_budget(host)) return;
    } else if (lua_isyieldable(L)) {
        lua_yield(L, 0);
        return;
    }
    // The `<close>` variables on the way get a slice each; in the end there is none left.
    host->raised++;
    lua_sethook(L, hook, LUA_MASKCOUNT, host->raised < 100 ? slice : 1);
    raise_stop(L);
}

void luas_watch(lua_State *L) {
    luas_host *host = luas_gethost(L);
    if (host->requests == 0 && host->watcher != NULL) luas_restorehook(L);
    // A signal may have come meanwhile.
    if (host->requests != 0) lua_sethook(L, hook, LUA_MASKCOUNT, host->closing > 0 ? slice : 1);
}

void luas_stop(lua_State *L) {
    luas_host *host = luas_gethost(L);
    if (host->closing == 0 && lua_isyieldable(L)) lua_yield(L, 0);
    raise_stop(L);
}

void luas_attend(lua_State *L) {
    luas_host *host = luas_gethost(L);
    // Below are Swift frames, which nothing may jump over.
    if (host->swift_depth > 0) return;
    report(host);
    if (luas_muststop(host)) luas_stop(L);
}

bool luas_isstopping(const luas_host *host) { return (host->requests & LUAS_STOP) != 0; }

bool luas_muststop(luas_host *host) {
    return luas_isstopping(host) && !(host->closing > 0 && has_budget(host));
}

void luas_request(luas_host *host, int request) {
    __atomic_fetch_or(&host->requests, request, __ATOMIC_RELAXED);
    lua_State *running = host->running;
    if (running != NULL) luas_watch(running);
}

bool luas_takereport(luas_host *host) {
    return (host->requests & LUAS_REPORT) != 0
        && (__atomic_fetch_and(&host->requests, ~LUAS_REPORT, __ATOMIC_RELAXED) & LUAS_REPORT) != 0;
}

void luas_rearm(luas_host *host) {
    host->requests = 0;
    host->budget_end = 0;
    host->raised = 0;
}

// --- Running --------------------------------------------------------------------------------------------------------

int luas_run(lua_State *co, lua_State *from, int nargs, int *nresults) {
    luas_host *host = luas_gethost(co);
    lua_State *before = host->running;
    bool can_wait = host->can_wait;
    host->can_wait = from == NULL || (can_wait && lua_isyieldable(from));
    host->running = co;
    host->progress++;
    luas_watch(co);
    luas_activation here = {.coroutine = co, .outer = host->activation};
    host->activation = &here;
    if (host->watcher != NULL) luas_unsettlehalt(co);
    int status = lua_resume(co, from, nargs, nresults);
    if (host->watcher != NULL && status == LUA_YIELD) luas_settlehalt(co);
    host->activation = here.outer;
    host->running = before;
    host->can_wait = can_wait;
    if (from != NULL) luas_watch(from);
    return status;
}

int luas_resetthread(lua_State *co, lua_State *from) {
    luas_host *host = luas_gethost(co);
    lua_State *before = host->running;
    bool can_wait = host->can_wait;
    host->can_wait = false;
    host->running = co;
    host->progress++;
    host->closing++;
    lua_sethook(co, NULL, 0, 0);
    luas_watch(co);
    int status = lua_resetthread(co);
    host->closing--;
    host->running = before;
    host->can_wait = can_wait;
    if (from != NULL) luas_watch(from);
    return status;
}

// The lowest address that this thread's stack may grow down to, leaving room for what Lua counts itself.
static char *stack_limit(void) {
    static _Thread_local char *limit;
    if (limit == NULL) {
        pthread_attr_t attributes;
        void *base;
        size_t size;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) return NULL;
        pthread_attr_getstack(&attributes, &base, &size);
        pthread_attr_destroy(&attributes);
        limit = (char *)base + size / 4;
    }
    return limit;
}

void luas_checkcstack(lua_State *L) {
    char here;
    if (&here < stack_limit()) luaL_error(L, "C stack overflow");
}
