#include "CLuaShims.h"
#include "internal.h"
#include <stdlib.h>
#include <string.h>

// Watches the lines, calls and errors of a script, for a debugger or a measurement. Without a watcher there is no hook, and
// a script pays nothing.
//
// A line hook may yield, so a script that a debugger halts is suspended like one that waits for the host: nothing of it is on
// the C stack, and the loop of the host continues. Where Lua cannot yield, the watcher halts the script inside the hook.

static volatile int attention;

void luas_callattention(bool is_wanted) { __atomic_store_n(&attention, is_wanted, __ATOMIC_RELAXED); }

static bool has_line(const luas_watcher *watcher, int line) {
    return (watcher->lines[(line >> 3) & (luas_line_bytes - 1)] & (1 << (line & 7))) != 0;
}

void luas_forgetlines(luas_watcher *watcher) { memset(watcher->lines, 0, sizeof watcher->lines); }

void luas_wantline(luas_watcher *watcher, int line) {
    watcher->lines[(line >> 3) & (luas_line_bytes - 1)] |= (uint8_t)(1 << (line & 7));
}

static const uint32_t **counter_of(lua_Debug *activation);

static void watched(lua_State *L, lua_Debug *activation) {
    luas_host *host = luas_gethost(L);
    luas_watcher *watcher = host->watcher;
    if (watcher == NULL) {
        lua_sethook(L, NULL, 0, 0);
        return;
    }
    bool is_line = activation->event == LUA_HOOKLINE;
    if (is_line && watcher->cover != NULL) {
        host->swift_depth++;
        luas_coverline(L, watcher->cover, activation);
        host->swift_depth--;
    }
    if (is_line && !watcher->wants_every_line && attention == 0 && !has_line(watcher, activation->currentline)) return;
    host->swift_depth++;
    bool halts = watcher->see(host, L, activation);
    host->swift_depth--;
    if (!halts || !is_line || !luas_canhalt(L)) return;
    watcher->halted_at = *counter_of(activation);
    lua_yield(L, 0);
}

// --- The place of a halted coroutine --------------------------------------------------------------------------------

// After a hook has yielded, Lua counts the program counter back, because the instruction is still to run. Its line, and the
// local variables that are active there, would be those of the instruction before. Meanwhile the counter is put forward.
// Lua's struct CallInfo is not public. The counter is its fifth word in all versions of Lua 5.4. That is checked at each halt:
// if the word does not behave like the counter, it is left alone, and a debugger shows the instruction before.

static const uint32_t **counter_of(lua_Debug *activation) { return (const uint32_t **)activation->i_ci + 4; }

void luas_settlehalt(lua_State *co) {
    luas_watcher *watcher = luas_gethost(co)->watcher;
    lua_Debug frame;
    if (watcher == NULL || watcher->halted_at == NULL || !lua_getstack(co, 0, &frame)) return;
    const uint32_t **counter = counter_of(&frame);
    watcher->is_exact = *counter == watcher->halted_at - 1;
    if (watcher->is_exact) ++*counter;
    watcher->halted_at = NULL;
}

void luas_unsettlehalt(lua_State *co) {
    luas_watcher *watcher = luas_gethost(co)->watcher;
    lua_Debug frame;
    if (watcher != NULL && watcher->is_exact && luas_ishalted(co) && lua_getstack(co, 0, &frame)) --*counter_of(&frame);
}

bool luas_canhalt(lua_State *L) { return luas_gethost(L)->can_wait && lua_isyieldable(L); }

void luas_restorehook(lua_State *L) {
    luas_host *host = luas_gethost(L);
    int mask = host->watcher != NULL ? host->watcher->mask : 0;
    lua_Hook wanted = mask != 0 ? watched : NULL;
    if (lua_gethook(L) != wanted || lua_gethookmask(L) != mask) lua_sethook(L, wanted, mask, 0);
}

void luas_setwatcher(luas_host *host, luas_watcher *watcher) {
    host->watcher = watcher;
    lua_State *running = host->running;
    if (running != NULL) luas_restorehook(running);
}

bool luas_ishalted(lua_State *co) {
    lua_Debug frame;
    // A coroutine that yields by itself is in the C function coroutine.yield.
    return luas_gethost(co)->watcher != NULL && lua_status(co) == LUA_YIELD && lua_getstack(co, 0, &frame)
        && lua_getinfo(co, "S", &frame) && *frame.what != 'C';
}

int luas_tellraised(lua_State *L) {
    luas_host *host = luas_gethost(L);
    luas_watcher *watcher = host->watcher;
    if (watcher == NULL || host->requests != 0) return 1;
    host->swift_depth++;
    watcher->raised(host, L);
    host->swift_depth--;
    return 1;
}

// --- Compiled code --------------------------------------------------------------------------------------------------

typedef struct {
    char *bytes;
    size_t count, room;
} code;

static int append(lua_State *L, const void *bytes, size_t count, void *context) {
    (void)L;
    code *into = context;
    if (into->count + count > into->room) {
        size_t room = 2 * (into->count + count);
        char *grown = realloc(into->bytes, room);
        if (grown == NULL) return 1;
        into->bytes = grown;
        into->room = room;
    }
    memcpy(into->bytes + into->count, bytes, count);
    into->count += count;
    return 0;
}

char *luas_dump(lua_State *L, size_t *count) {
    code result = {.bytes = NULL};
    if (lua_dump(L, append, &result, 0) != 0) {
        free(result.bytes);
        return NULL;
    }
    *count = result.count;
    return result.bytes;
}
