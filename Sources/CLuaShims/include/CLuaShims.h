#pragma once

// The C half of the Lua room: everything that may raise a Lua error, yield, or run under the memory limit.
//
// Swift never raises and never yields: it returns a code to the trampoline, is unwound, and then C acts on the code.
// See the rules in Documentation.docc/Embedding.md.

#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// --- Macros of Lua's headers, which Swift cannot import -------------------------------------------------------------

static inline void luas_pop(lua_State *L, int count) { lua_settop(L, -count - 1); }
static inline int luas_registryindex(void) { return LUA_REGISTRYINDEX; }
static inline const char *luas_version(void) { return LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE; }

// --- State ----------------------------------------------------------------------------------------------------------

/// The return value of a host function, written in Swift: a count of results on top of the stack, or one of these.
enum {
    LUAS_RAISE = -1,   ///< raise the value on top
    LUAS_SUSPEND = -2, ///< suspend the coroutine; `complete` delivers the results when it goes on
};

/// Runs the host function `function` with the arguments on the stack.
typedef int (*luas_invoke)(lua_State *L, void *function);
/// Answers the question `function`; neither raises nor touches the stack.
typedef bool (*luas_ask)(void *function);
/// Pushes the results of the suspended `function`, or an error and LUAS_RAISE.
typedef int (*luas_complete)(lua_State *L, void *function);
/// Releases the Swift object that a userdata holds.
typedef void (*luas_release)(void *object);

/// The uses for which a function of Lua's libraries asks permission.
enum {
    LUAS_READ = 1,        ///< read the file
    LUAS_WRITE = 2,       ///< write it
    LUAS_ENTRY = 4,       ///< change the name itself, which may be a link
    LUAS_ENVIRONMENT = 8, ///< read the environment variable
    LUAS_RUN = 16,        ///< run the command
};

/// A file that a library of Lua's is about to use. The host opens what it has allowed, and nothing else does.
typedef struct luas_access {
    /// How the host is to open the file, as open(2) takes it; ignored with LUAS_ENTRY.
    int flags;
    /// The descriptor that the host opened and the caller closes: of the file, or with LUAS_ENTRY of the file's folder. -1 on failure.
    int descriptor;
    /// The errno of a failure to open.
    int error;
    /// With LUAS_ENTRY: the name in that folder.
    char name[PATH_MAX];
} luas_access;

/// True if `call`, such as `io.open`, may use `thing`: 0, with `access` filled in where it is not NULL; or LUAS_RAISE with the
/// error on top.
typedef int (*luas_permit)(lua_State *L, int use, const char *call, const char *thing, luas_access *access);

typedef struct luas_host luas_host;
/// Tells the person where the coroutines of `host` stand. Runs between two instructions of its script, or in the middle of C
/// code that takes long.
typedef void (*luas_report)(luas_host *host);
/// Writes the name of the host function that is in control into `name`: that of `invoked`, or of the call whose asynchronous
/// part runs or waits where that is NULL. Returns the coroutine that waits for it, NULL where there is no knowing. Called
/// in a signal handler when the process is about to end: it allocates nothing and takes no lock.
typedef lua_State *(*luas_whereabouts)(luas_host *host, void *invoked, char *name, int size);

enum { luas_pool_classes = 16 };

/// Small blocks of memory of one Lua state.
typedef struct luas_pool {
    /// Blocks that are not in use, by their size in steps of 16 bytes.
    void *free[luas_pool_classes];
    /// All memory they were cut of, and what is left of the last piece.
    void *chunks;
    char *next;
    size_t left;
} luas_pool;

/// The shims' data for one Lua state. Every thread of the state has a pointer to this struct in its extra space.
struct luas_host {
    luas_invoke invoke;
    luas_ask ask;
    luas_complete complete;
    luas_release release;
    luas_permit permit;
    /// The Swift object of the state.
    void *owner;
    /// Bytes in use and allowed (0: no limit).
    size_t used, limit;
    /// Bytes in use after the last collection by `luas_collectdue`.
    size_t used_after_collecting;
    luas_pool pool;
    /// Above zero while Swift is in control: allocation then always succeeds, for an error raised in it would jump
    /// over Swift frames.
    int swift_depth;
    /// The coroutine the driver has resumed (not those nested in it).
    lua_State *driven;
    /// The coroutine that runs at this moment; read by the interrupt's signal handler.
    lua_State *volatile running;
    /// The coroutines that run or have resumed another coroutine, the innermost first.
    const struct luas_activation *activation;
    /// True if all coroutines below the running one can pause; else a host function cannot wait.
    bool can_wait;
    /// The host function that is in control; NULL while none is.
    void *volatile invoked;
    /// The main thread.
    lua_State *main;
    /// The pending requests to the running script: LUAS_STOP, LUAS_REPORT.
    volatile int requests;
    /// Above zero while to-be-closed variables of a coroutine run that does not go on.
    volatile int closing;
    /// The thread's processor time, in ns, up to which they may run when the script is to stop; 0 before they do.
    uint64_t budget_end;
    /// How often the stop was raised as an error.
    int raised;
    /// Grows whenever something new begins to run.
    volatile uint64_t progress;
    /// Its value when something new was last seen, and the time then: of the processor for the thread, and of the clock.
    struct {
        uint64_t progress;
        double computed, time;
    } seen;
    /// Tells the person where the coroutines stand.
    luas_report report;
    /// Names the host function in control.
    luas_whereabouts whereabouts;
    /// Another state that the signal is for.
    luas_host *volatile next;
};

/// A new state under a limit of `limit` bytes (0: none), or NULL without memory. `host` outlives it.
lua_State *luas_newstate(luas_host *host, size_t limit);
luas_host *luas_gethost(lua_State *L);

/// lua_close, and no signal reaches `host` any more.
void luas_close(luas_host *host);

/// Opens Lua's libraries, with `coroutine` functions that let a suspended host call pass through nested coroutines, and
/// without what breaks out of Lua.
/// Protected: returns a status, with the error on top of the stack.
int luas_openlibs(lua_State *L);

// --- Calling --------------------------------------------------------------------------------------------------------

/// Compiles source text, and pushes the function or a message. Returns a status. Stops the script, if that was
/// asked for, but not while Swift is in control.
int luas_load(lua_State *L, const char *text, size_t length, const char *name);
/// lua_resume with the memory limit in force. LUA_YIELD: a host function waits, or the script was interrupted.
int luas_resume(lua_State *co, int nargs);
/// Closes a coroutine, which runs its to-be-closed variables and those of the coroutines nested in it.
int luas_closethread(lua_State *co);
/// The coroutines of scripts that have begun, and are suspended: their number, and the first `most` of them in `list`. They
/// may be garbage, but for those that are left by `luas_collectall`.
int luas_unfinished(lua_State *L, lua_State **list, int most);
/// lua_next under protection: pops the key; pushes the next pair and returns 1, or nothing and returns 0.
/// -1: the key was not valid, with the error on top.
int luas_next(lua_State *L, int index);
/// A one-line description of any value: its __tostring if it has one. Protected; pushes a string.
const char *luas_tolstring(lua_State *L, int index, size_t *length);

// --- Host functions and objects -------------------------------------------------------------------------------------

/// Pushes a Lua function that calls the Swift object `function`, which lives as long as the state.
void luas_pushfunction(lua_State *L, void *function);
/// Pushes a Lua function that asks the Swift object `function`, which lives as long as the state.
void luas_pushquestion(lua_State *L, void *function);
/// Pushes a Lua function that calls `function` and owns it: its reference is released when that is collected.
/// `owner_metatable` refers to a metatable that `luas_objectmetatable` made.
void luas_pushclosure(lua_State *L, void *function, int owner_metatable);
/// Pushes a userdata holding `object`, whose reference the userdata owns from now on, with the metatable at the
/// registry reference `metatable`. `weight`: the bytes that the object takes besides, which count as the script's.
void luas_pushobject(lua_State *L, void *object, int metatable, size_t weight);
/// The Swift object of the userdata at `index`; NULL for anything else, and when it has been finalized.
void *luas_toobject(lua_State *L, int index);
/// The Swift object that the Lua function at `index` calls; NULL for a function of anybody else's, and for a question.
void *luas_tofunction(lua_State *L, int index);
/// Adds `__gc`, `__close` and the mark that `luas_toobject` looks for to the metatable on top of the stack.
void luas_objectmetatable(lua_State *L);

/// Marks the metatable on top of the stack: rawset refuses the tables that have it.
void luas_markreadonly(lua_State *L);

// --- JSON -----------------------------------------------------------------------------------------------------------

/// Makes a Lua value of JSON text (RFC 8259), which is UTF-8 and has a NUL behind it. Pops json.null and, from the top, the
/// metatable of arrays; pushes the value and returns true. False, and nothing pushed: it is not JSON, or nests more than
/// `deepest` deep, or has a name twice or with a NUL in it, or an integer that is none of Lua's. For Swift in control.
bool luas_pushjson(lua_State *L, const char *text, size_t length, int deepest);

// --- The garbage collector ------------------------------------------------------------------------------------------

/// Collects if that is due. To be called before many values are made with the collector stopped, which do not bring the next
/// collection nearer: else a script that makes nothing itself would never see one.
void luas_collectdue(lua_State *L);
/// Collects everything that can be.
void luas_collectall(lua_State *L);
/// Stops it while a great many values are made that all stay. Returns what `luas_collectagain` wants to know.
bool luas_stopcollecting(lua_State *L);
void luas_collectagain(lua_State *L, bool collects);

// --- Stopping -------------------------------------------------------------------------------------------------------

/// The requests to the thread that runs Lua.
enum {
    LUAS_STOP = 1,        ///< stop the script at the next instruction
    LUAS_REPORT = 2,      ///< call `report` at the next instruction
    LUAS_PLACE = 4,       ///< if Lua has been in control ever since this was last asked, answer luas_stuckplace, and wait for the end
    LUAS_FINAL_PLACE = 8, ///< the same, whoever is in control
};

/// Has the signal `number` reach `host`, until luas_forget. Called on the thread that runs it; who sends the signal sends it
/// to that thread.
void luas_obey(luas_host *host, int number);
void luas_forget(luas_host *host);
/// Says what the next signal is for, which is to stop when nothing was said. From any thread.
void luas_prepare(int request);
/// Asks it of `host` at once. Async-signal-safe as far as `lua.c`'s own use of lua_sethook is.
void luas_request(luas_host *host, int request);
/// Waits for the answer to LUAS_PLACE: NULL for none; empty when there is no knowing. `call` gets the name of the host
/// function in control, which is empty where there is none.
const char *luas_stuckplace(int milliseconds, const char **call);
/// Ends the process with `status` after so many milliseconds, whatever its threads wait for. For whoever is about to end it,
/// and might have to wait for a lock of a thread that does not go on.
void luas_endafter(int milliseconds, int status);
/// Ends the programs that os.execute and io.popen have started and that are still waited for, with all that those have
/// started. From any thread.
void luas_endchildren(void);
/// True if the script is to stop.
bool luas_isstopping(const luas_host *host);

/// True if the code that runs is to end now: `<close>` handlers get some time.
bool luas_muststop(luas_host *host);
/// True if a report is still to be made; it is the caller's, then.
bool luas_takereport(luas_host *host);
/// The coroutines of the one that the driver resumes, which is the last: those it has resumed or waits for come before it.
/// Returns their number, at most `most`.
int luas_chain(const luas_host *host, lua_State *driven, lua_State **chain, int most);
/// Forgets a stop when nothing runs any more, so that other scripts can run.
void luas_rearm(luas_host *host);

// --- Standard output ------------------------------------------------------------------------------------------------

/// Makes each later write to standard output call `before` first, if standard output is a terminal. Call this function
/// before Lua's libraries are opened, because they keep the stream. Lua's print and io.write use C's streams, so only a
/// replaced stream can notice each write.
void luas_before_screen_output(void (*before)(void));

/// Keeps all later output to stdout, up to `limit` bytes, instead of writing it; this includes Lua states made later.
/// Captures can be nested. Returns false if there is no room for another capture.
bool luas_capture_output(size_t limit);
/// Ends the last one. What was kept; the caller frees it. NULL when there is no memory for it.
char *luas_captured_output(size_t *length);

/// Keeps what is written to a terminal, or writes what was kept.
void luas_hold_screen_output(bool is_to_hold);

/// True if what stdout has written to the screen so far ends with a whole line.
bool luas_is_at_line_start(void);

/// fwrite to C's stdout, which Swift does not let through as a global variable.
void luas_writeout(const void *bytes, size_t count);
/// fflush, and whether all of it got out: 0, or an errno value.
int luas_flushout(void);
/// The same, if no other thread is writing.
void luas_tryflushout(void);
/// Has writes to closed pipes fail instead of ending the process; when it was stdout that nobody reads any more, the
/// process gets the signal `number`.
void luas_signal_closed_output(int number);
