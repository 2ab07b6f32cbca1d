#define _GNU_SOURCE
#include "CLuaShims.h"
#include "internal.h"
#include <pthread.h>
#include <signal.h>

// What runs at this moment, and how it is stopped.

const char luas_stopped[] = "interrupted";

static void stop_hook(lua_State *L, lua_Debug *activation) {
    (void)activation;
    if (!luas_gethost(L)->interrupted) {
        lua_sethook(L, NULL, 0, 0);
        return;
    }
    if (lua_isyieldable(L)) lua_yield(L, 0);
    else luaL_error(L, luas_stopped);
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

void luas_forget(luas_host *host) {
    if (interrupt_target == host) interrupt_target = NULL;
}

int luas_run(lua_State *co, lua_State *from, int nargs, int *nresults) {
    luas_host *host = luas_gethost(co);
    lua_State *before = host->running;
    bool can_wait = host->can_wait;
    host->can_wait = from == NULL || (can_wait && lua_isyieldable(from));
    host->running = co;
    if (host->interrupted) lua_sethook(co, stop_hook, LUA_MASKCOUNT, 1);
    int status = lua_resume(co, from, nargs, nresults);
    host->running = before;
    host->can_wait = can_wait;
    if (host->interrupted && from != NULL) lua_sethook(from, stop_hook, LUA_MASKCOUNT, 1);
    return status;
}

int luas_resetthread(lua_State *co, lua_State *from) {
    luas_host *host = luas_gethost(co);
    lua_State *before = host->running;
    bool can_wait = host->can_wait;
    host->can_wait = false;
    host->running = co;
    lua_sethook(co, NULL, 0, 0);
    int status = lua_resetthread(co);
    host->running = before;
    host->can_wait = can_wait;
    if (host->interrupted && from != NULL) lua_sethook(from, stop_hook, LUA_MASKCOUNT, 1);
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
