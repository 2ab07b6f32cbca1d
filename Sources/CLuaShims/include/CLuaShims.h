#pragma once

// The C half of the Lua module: all code that may raise a Lua error, yield, or run under the memory limit.
//
// Swift never raises and never yields: it returns a code to the trampoline, is unwound, and then C acts on the code.
// See the rules in Documentation.docc/Architecture.md, "Embedding Lua".

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
/// Returns the result of the question `function`. A question neither raises errors nor changes the stack.
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

/// A file that a library of Lua's is about to use. Only the host opens the file, after it has allowed the use.
typedef struct luas_access {
    /// The flags of open(2) with which the host opens the file; ignored with LUAS_ENTRY.
    int flags;
    /// The descriptor that the host opened and the caller closes: of the file, or with LUAS_ENTRY of the file's folder. -1 on failure.
    int descriptor;
    /// The errno of a failure to open.
    int error;
    /// With LUAS_ENTRY: the file's name in its folder.
    char name[PATH_MAX];
} luas_access;

/// Returns 0 if `call`, such as `io.open`, may use `thing`, and fills in `access` if it is not NULL. Otherwise returns LUAS_RAISE,
/// with the error on top of the stack.
typedef int (*luas_permit)(lua_State *L, int use, const char *call, const char *thing, luas_access *access);

typedef struct luas_host luas_host;
/// Prints the places of the coroutines of `host` for the user. Runs between two instructions of the script, or in the middle of
/// C code that takes long.
typedef void (*luas_report)(luas_host *host);
/// Writes the name of the host function in control into `name`: the name of `invoked`, or if `invoked` is NULL, of the call whose
/// asynchronous part runs or waits. Returns the coroutine that waits for the function; NULL if it is unknown. The function runs
/// in a signal handler when the process is about to end, so it allocates nothing and takes no lock.
typedef lua_State *(*luas_whereabouts)(luas_host *host, void *invoked, char *name, int size);

/// Told of a line, a call or a return. Returns true to halt the script at the line; it is then suspended.
typedef bool (*luas_see)(luas_host *host, lua_State *L, lua_Debug *activation);
/// Told of an error that a pcall is about to catch, with the error on top of the stack, which stays as it is.
typedef void (*luas_raised)(luas_host *host, lua_State *L);

enum { luas_line_bytes = 8192 };

/// The counts of lines that have run, and the ways between them.
typedef struct luas_cover luas_cover;

/// Who watches the running code, and what of it.
typedef struct luas_watcher {
    luas_see see;
    luas_raised raised;
    /// The events of lua_sethook; 0 for none.
    int mask;
    bool wants_every_line;
    bool wants_errors;
    /// The program counter of the coroutine that is about to be halted; NULL for none. True if halted coroutines show theirs.
    const uint32_t *halted_at;
    bool is_exact;
    /// Counts the lines; NULL for no counts.
    luas_cover *cover;
    /// A bit for each line number, of any chunk, that `see` gets.
    uint8_t lines[luas_line_bytes];
} luas_watcher;

enum { luas_pool_classes = 16 };

/// Small blocks of memory of one Lua state.
typedef struct luas_pool {
    /// The free blocks, by their size in steps of 16 bytes.
    void *free[luas_pool_classes];
    /// All chunks from which the blocks were cut, and the rest of the last chunk.
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
    /// The bytes in use, and the limit (0: no limit).
    size_t used, limit;
    /// The bytes in use after the last collection by `luas_collectdue`.
    size_t used_after_collecting;
    luas_pool pool;
    /// Above zero while Swift is in control. Allocation then always succeeds, because an error raised there would
    /// jump over Swift frames.
    int swift_depth;
    /// The coroutine that the driver has resumed, not a coroutine nested in it.
    lua_State *driven;
    /// The coroutine that runs at this moment; read by the interrupt's signal handler.
    lua_State *volatile running;
    /// The coroutines that run or have resumed another coroutine, the innermost first.
    const struct luas_activation *activation;
    /// True if all coroutines below the running coroutine can pause; otherwise a host function cannot wait.
    bool can_wait;
    /// The host function in control; NULL if there is none.
    void *volatile invoked;
    /// The main thread.
    lua_State *main;
    /// The pending requests to the running script: LUAS_STOP, LUAS_REPORT.
    volatile int requests;
    /// Above zero while the to-be-closed variables of an ended coroutine run.
    volatile int closing;
    /// The thread's processor time, in ns, at which these variables must end if the script is stopping; 0 before they run.
    uint64_t budget_end;
    /// The number of times that the stop was raised as an error.
    int raised;
    /// This count grows whenever new code begins to run.
    volatile uint64_t progress;
    /// The count's value at the last check that saw new code, and the thread's processor time and the clock's time then.
    struct {
        uint64_t progress;
        double computed, time;
    } seen;
    /// Prints the places of the coroutines for the user.
    luas_report report;
    /// Names the host function in control.
    luas_whereabouts whereabouts;
    /// Who watches the running code; NULL for nobody.
    luas_watcher *watcher;
    /// Another state that the signal is for.
    luas_host *volatile next;
};

/// Returns a new state with a limit of `limit` bytes (0: none), or NULL without memory. `host` must outlive the state.
lua_State *luas_newstate(luas_host *host, size_t limit);
luas_host *luas_gethost(lua_State *L);

/// Calls lua_close. Afterwards no signal reaches `host`.
void luas_close(luas_host *host);

/// Opens Lua's libraries without the functions that break out of Lua. Their `coroutine` functions let a suspended host call
/// pass through nested coroutines.
/// Protected: returns a status, with the error on top of the stack.
int luas_openlibs(lua_State *L);

// --- Calling --------------------------------------------------------------------------------------------------------

/// Compiles source text, and pushes the function or a message. Returns a status. If a stop was requested, stops the
/// script, but not while Swift is in control.
int luas_load(lua_State *L, const char *text, size_t length, const char *name);
/// Calls lua_resume with the memory limit in force. LUA_YIELD means that a host function waits, or the script was interrupted.
int luas_resume(lua_State *co, int nargs);
/// Closes a coroutine, which runs its to-be-closed variables and those of the coroutines nested in it.
int luas_closethread(lua_State *co);
/// Returns the number of suspended coroutines that scripts have begun, and stores the first `most` of them in `list`. Some may
/// be garbage, unless `luas_collectall` has run.
int luas_unfinished(lua_State *L, lua_State **list, int most);
/// Calls lua_next in protected mode. Pops the key; pushes the next pair and returns 1, or pushes nothing and returns 0.
/// Returns -1 if the key is invalid, with the error on top.
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
/// The Swift object of the userdata at `index`; NULL for any other value and for a finalized userdata.
void *luas_toobject(lua_State *L, int index);
/// The Swift object that the Lua function at `index` calls; NULL for a function that the host did not make, and for a question.
void *luas_tofunction(lua_State *L, int index);
/// Adds `__gc`, `__close` and the mark that `luas_toobject` looks for to the metatable on top of the stack.
void luas_objectmetatable(lua_State *L);

/// Marks the metatable on top of the stack: rawset refuses the tables that have it.
void luas_markreadonly(lua_State *L);

// --- JSON -----------------------------------------------------------------------------------------------------------

/// Makes a Lua value from JSON text (RFC 8259) in UTF-8, which ends with a NUL. Pops the metatable of arrays from the top, and
/// json.null below it; pushes the value and returns true. Returns false and pushes nothing if the text is not JSON, nests more than
/// `deepest` deep, has a name twice or with a NUL, or has an integer that Lua cannot hold. Swift must be in control.
bool luas_pushjson(lua_State *L, const char *text, size_t length, int deepest);

// --- Watching -------------------------------------------------------------------------------------------------------

/// Has the watcher's events reach it from now on; NULL: nobody watches. `watcher` must outlive this.
void luas_setwatcher(luas_host *host, luas_watcher *watcher);
/// Has the watcher get no lines but those of luas_wantline.
void luas_forgetlines(luas_watcher *watcher);
/// Adds a line that the watcher gets.
void luas_wantline(luas_watcher *watcher, int line);
/// True: watchers get every line until the next call, of any state. Can be called on any thread.
void luas_callattention(bool is_wanted);
/// True if the running coroutine can be suspended at this line.
bool luas_canhalt(lua_State *L);
/// An empty count of lines, for luas_freecover; NULL without memory.
luas_cover *luas_makecover(void);
void luas_freecover(luas_cover *cover);
/// The chunks that have run, and their names as Lua has them, which are valid while the state is open.
int luas_coveredsources(const luas_cover *cover);
const char *luas_coveredname(const luas_cover *cover, int index);
/// How often a line of a chunk has run.
uint32_t luas_coveredcount(const luas_cover *cover, int index, int line);
/// True if the line `to` has run after the line `from` in one call.
bool luas_hasway(const luas_cover *cover, int index, int from, int to);
/// The compiled code of the Lua function on top of the stack, for free(); NULL without memory. With the places of its lines.
char *luas_dump(lua_State *L, size_t *count);

// --- The garbage collector ------------------------------------------------------------------------------------------

/// Runs a collection if one is due. Call this function before many values are made with the collector stopped. Such values do not
/// bring the next collection nearer, so a script that makes no values itself would never have a collection.
void luas_collectdue(lua_State *L);
/// Collects all garbage.
void luas_collectall(lua_State *L);
/// Stops the collector while many values are made that all stay. Returns the argument for `luas_collectagain`.
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

/// Makes the signal `number` reach `host`, until luas_forget. Call this function on the thread that runs `host`. The sender must
/// send the signal to that thread.
void luas_obey(luas_host *host, int number);
void luas_forget(luas_host *host);
/// Sets the purpose of the next signal; the default is to stop. Can be called on any thread.
void luas_prepare(int request);
/// Sends the request to `host` at once. As async-signal-safe as `lua.c`'s own use of lua_sethook.
void luas_request(luas_host *host, int request);
/// Waits for the answer to LUAS_PLACE. Returns NULL without an answer, and an empty text if the place is unknown. `call` gets the
/// name of the host function in control, or an empty text.
const char *luas_stuckplace(int milliseconds, const char **call);
/// Ends the process with `status` after this number of milliseconds, even if its threads wait. Call this function before a normal
/// end that might wait for the lock of a thread that hangs.
void luas_endafter(int milliseconds, int status);
/// Ends the programs that os.execute and io.popen have started and still wait for, with all their descendants. Can be called
/// on any thread.
void luas_endchildren(void);
/// Returns true if the script must stop.
bool luas_isstopping(const luas_host *host);

/// Returns true if the running code must end now: `<close>` handlers get some time.
bool luas_muststop(luas_host *host);
/// Returns true if a report is due. Then the caller must make the report.
bool luas_takereport(luas_host *host);
/// Lists the coroutine that the driver resumes, last, after the coroutines that it has resumed or waits for.
/// Returns their number, at most `most`.
int luas_chain(const luas_host *host, lua_State *driven, lua_State **chain, int most);
/// Forgets a stop when nothing runs any more, so that other scripts can run.
void luas_rearm(luas_host *host);
