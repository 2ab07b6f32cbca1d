#pragma once

#include "CLuaShims.h"

/// realloc and free for blocks of a known size; `block` may be NULL, `new_size` 0. NULL: there is no memory, and `block` is
/// as it was.
void *luas_resize(luas_pool *pool, void *block, size_t old_size, size_t new_size);
/// Frees what the pool has, whether it is in use or not.
void luas_freepool(luas_pool *pool);
/// Replaces the functions of the `coroutine` library; may raise.
void luas_opencoroutine(lua_State *L);
/// Takes out of the standard libraries what breaks out of Lua; may raise.
void luas_harden(lua_State *L);
/// Has what reaches out of the script ask the host first; may raise.
void luas_guard(lua_State *L);
/// luaL_loadfilex for source text, of a file that the host lets `call` read; may raise. NULL: standard input.
int luas_loadfile(lua_State *L, const char *call, const char *path);
/// Suspends the running coroutine on behalf of the host: yields `nested`, which it waits for (NULL: a host function),
/// and the private tag, which the coroutines above pass on. They stay on its stack; `continuation` pops them.
int luas_suspend(lua_State *L, lua_State *nested, lua_KContext context, lua_KFunction continuation);
/// The number of values of luas_suspend.
enum { luas_suspended_values = 2 };
/// lua_resume that keeps track of what runs, and hands the hook of an interrupt on to whoever runs next.
int luas_run(lua_State *co, lua_State *from, int nargs, int *nresults);
/// lua_resetthread that keeps track of what runs. `from`: who closes it, or NULL.
int luas_resetthread(lua_State *co, lua_State *from);
/// The sentinel that stops a script where it cannot yield.
extern const char luas_stopped[];
/// Raises an error when little is left of the thread's stack: what goes from coroutine to coroutine is recursion in C
/// that Lua counts for each of them alone.
void luas_checkcstack(lua_State *L);
