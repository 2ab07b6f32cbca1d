#pragma once

#include "CLuaShims.h"
#include <stdio.h>
#include <sys/types.h>

/// A coroutine that was resumed and has not paused. The struct is on the C stack of the resuming function.
typedef struct luas_activation {
    lua_State *coroutine;
    const struct luas_activation *outer;
} luas_activation;

/// realloc and free for blocks of a known size; `block` may be NULL, `new_size` 0. NULL: there is no memory, and `block` is
/// as it was.
void *luas_resize(luas_pool *pool, void *block, size_t old_size, size_t new_size);
/// Frees all memory of the pool, even if it is in use.
void luas_freepool(luas_pool *pool);
/// Replaces the functions of the `coroutine` library; may raise.
void luas_opencoroutine(lua_State *L);
/// True if `co` is suspended for the host. To scripts it is then as active as one that has resumed another: nobody but the
/// driver continues it.
bool luas_iswaiting(lua_State *co);
/// Makes the host remember the coroutines that scripts make; may raise an error.
void luas_opentracking(lua_State *L);
/// Pushes a coroutine of the function that is the first argument, and remembers it; may raise.
lua_State *luas_newcoroutine(lua_State *L);
/// Removes the functions that break out of Lua from the standard libraries; may raise an error.
void luas_harden(lua_State *L);
/// Makes the functions that reach out of the script ask the host first; may raise an error.
void luas_guard(lua_State *L);
/// Starts the shell command. `pipe_end`: which of its standard streams, 0 or 1, is connected to `*descriptor`; -1 for none.
/// Returns 0 or an errno value.
int luas_startchild(const char *command, int pipe_end, int *descriptor, pid_t *child);
/// Waits for the child and returns its status as waitpid has it, -1 with errno. A script that is to stop ends the child, and
/// stops; may raise then.
int luas_waitchild(lua_State *L, pid_t child);
/// True if one of the states must stop. Async-signal-safe.
bool luas_isanystopping(void);
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
/// Sets the hook that the watcher of the host wants, if any.
void luas_restorehook(lua_State *L);
/// True if a watcher has halted `co` at a line.
bool luas_ishalted(lua_State *co);
/// Lets a coroutine that a watcher has just halted show the line and the variables of its halt, and takes that back before it
/// continues.
void luas_settlehalt(lua_State *co);
void luas_unsettlehalt(lua_State *co);
/// Counts the line that a hook has got.
void luas_coverline(lua_State *L, luas_cover *cover, lua_Debug *activation);
/// A message handler that tells the watcher of an error.
int luas_tellraised(lua_State *L);
/// Makes `L`, which runs next, check for requests to the script, and be watched.
void luas_watch(lua_State *L);
/// Stops the script: yields to the driver, or raises.
__attribute__((noreturn)) void luas_stop(lua_State *L);
/// Handles the requests to the script. Does not return if the script must stop.
void luas_attend(lua_State *L);
/// C code that takes long calls this function now and then. Code that caught an error calls it too: the error may be the stop.
static inline void luas_poll(lua_State *L) {
    if ((*(luas_host **)lua_getextraspace(L))->requests != 0) luas_attend(L);
}
/// Raises an error when little is left of the thread's stack: what goes from coroutine to coroutine is recursion in C
/// that Lua counts for each of them alone.
void luas_checkcstack(lua_State *L);

/// The line of source text from which on Lua must not compile it, for it names too many fields in one expression; 0: none.
int luas_checksource(lua_State *L, const char *text, size_t length);
/// luas_load for what is in `file`, which may begin with a byte order mark or a line for the shell. `name` is the chunk's.
int luas_loadstream(lua_State *L, FILE *file, const char *name);
/// Replaces `load`, `loadfile` and `dofile`.
void luas_openloading(lua_State *L);
/// Replaces `pcall` and `xpcall`, and functions of the libraries that show or change what is the host's.
void luas_openbasics(lua_State *L);
/// Replaces functions of `string` and `table` that run long.
void luas_openbounded(lua_State *L);
/// Replaces the functions of `string` that take patterns.
void luas_openpatterns(lua_State *L);
/// table.sort
int luas_sort(lua_State *L);
/// The length of the list that is the first argument, which can be read and written.
lua_Integer luas_checklist(lua_State *L);
