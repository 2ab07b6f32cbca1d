#include "internal.h"
#include <errno.h>
#include <string.h>

// Compiles only source text: Lua does not check compiled code, which could break out of Lua.

enum { largest_source = 64 << 20, slice = 64 << 10 };

// Pushes a chunk's name as Lua shows it, followed by the line.
static void push_place(lua_State *L, const char *name, int line) {
    lua_Debug chunk;
    if (luaL_loadbufferx(L, "", 0, name, "t") == LUA_OK) {
        lua_getinfo(L, ">S", &chunk);
        lua_pushfstring(L, "%s:%d:", chunk.short_src, line);
    }
}

typedef struct {
    const char *text;
    size_t left, last;
} source;

static const char *read_slice(lua_State *L, void *context, size_t *size) {
    source *from = context;
    luas_poll(L);
    from->text += from->last;
    from->last = *size = from->left < slice ? from->left : slice;
    from->left -= *size;
    return from->text;
}

int luas_load(lua_State *L, const char *text, size_t length, const char *name) {
    if (length > largest_source) {
        lua_pushfstring(L, "source text of %d MB, expected at most %d MB", (int)(length >> 20), largest_source >> 20);
        return LUA_ERRSYNTAX;
    }
    int line = length > 0 && *text == LUA_SIGNATURE[0] ? 0 : luas_checksource(L, text, length);
    if (line > 0) {
        push_place(L, name, line);
        lua_pushliteral(L, " too many fields in one expression (keep a part of it in a local variable)");
        lua_concat(L, 2);
        return LUA_ERRSYNTAX;
    }
    source from = {.text = text, .left = length};
    return lua_load(L, read_slice, &from, name, "t");
}

// Returns the results of load and loadfile after loading. `environment` is the argument that may hold an environment.
static int loaded(lua_State *L, int status, int environment) {
    luas_poll(L);
    if (status != LUA_OK) {
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    if (environment != 0) {
        lua_pushvalue(L, environment);
        if (lua_setupvalue(L, -2, 1) == NULL) lua_pop(L, 1);
    }
    return 1;
}

static bool wants_text(lua_State *L, int mode) { return strchr(luaL_optstring(L, mode, "bt"), 't') != NULL; }

static int refuse_compiled(lua_State *L) {
    lua_pushnil(L);
    lua_pushliteral(L, "compiled code cannot be loaded, only source text (mode \"t\")");
    return 2;
}

// Joins the texts that the function, the only argument, returns until it returns nothing.
static int join_pieces(lua_State *L) {
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    while (true) {
        luas_poll(L);
        lua_pushvalue(L, 1);
        lua_call(L, 0, 1);
        if (lua_isnil(L, -1)) break;
        if (!lua_isstring(L, -1)) return luaL_error(L, "reader function must return a string");
        if (lua_rawlen(L, -1) == 0 && lua_type(L, -1) == LUA_TSTRING) break;
        luaL_addvalue(&text);
        if (luaL_bufflen(&text) > largest_source) break; // which luas_load refuses
    }
    lua_pop(L, 1);
    luaL_pushresult(&text);
    return 1;
}

static int text_load(lua_State *L) {
    bool is_text = lua_isstring(L, 1);
    if (!is_text) luaL_checktype(L, 1, LUA_TFUNCTION);
    int environment = lua_isnone(L, 4) ? 0 : 4;
    if (!wants_text(L, 3)) return refuse_compiled(L);
    const char *name = luaL_optstring(L, 2, is_text ? lua_tostring(L, 1) : "=(load)");
    if (!is_text) {
        lua_pushcfunction(L, join_pieces);
        lua_pushvalue(L, 1);
        int status = lua_pcall(L, 1, 1, 0);
        if (status != LUA_OK) return loaded(L, status, 0);
        lua_replace(L, 1);
    }
    size_t length;
    const char *text = lua_tolstring(L, 1, &length);
    return loaded(L, luas_load(L, text, length, name), environment);
}

// Returns the start of the code: after a byte order mark, and at the end of a first line that begins with #, which is for the
// shell. The code includes the line feed of that first line, so the lines keep their numbers.
static const char *code_start(const char *text, const char *end) {
    while (end - text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    if (text == end || *text != '#') return text;
    const char *line_end = memchr(text, '\n', (size_t)(end - text));
    if (line_end == NULL) return end;
    // Skips the line feed too if compiled code follows, so that Lua recognizes the compiled code.
    return line_end + 1 < end && line_end[1] == LUA_SIGNATURE[0] ? line_end + 1 : line_end;
}

int luas_loadstream(lua_State *L, FILE *file, const char *name) {
    int top = lua_gettop(L);
    luaL_Buffer bytes;
    luaL_buffinit(L, &bytes);
    size_t count, total = 0;
    do {
        luas_poll(L);
        count = fread(luaL_prepbuffsize(&bytes, slice), 1, slice, file);
        luaL_addsize(&bytes, count);
        total += count;
    } while (count > 0 && total <= largest_source);
    int problem = ferror(file) ? errno : 0;
    luaL_pushresult(&bytes);
    int status = LUA_ERRFILE;
    if (problem != 0) {
        lua_pushfstring(L, "cannot read %s: %s", name + 1, strerror(problem));
    } else {
        size_t length;
        const char *text = lua_tolstring(L, -1, &length), *code = code_start(text, text + length);
        status = luas_load(L, code, length - (size_t)(code - text), name);
    }
    lua_replace(L, top + 1);
    lua_settop(L, top + 1);
    return status;
}

static int text_loadfile(lua_State *L) {
    const char *path = luaL_optstring(L, 1, NULL);
    int environment = lua_isnone(L, 3) ? 0 : 3;
    if (!wants_text(L, 2)) return refuse_compiled(L);
    return loaded(L, luas_loadfile(L, "loadfile", path), environment);
}

static int finish_dofile(lua_State *L, int status, lua_KContext context) {
    (void)status;
    (void)context;
    return lua_gettop(L) - 1;
}

static int text_dofile(lua_State *L) {
    const char *path = luaL_optstring(L, 1, NULL);
    lua_settop(L, 1);
    if (luas_loadfile(L, "dofile", path) != LUA_OK) {
        luas_poll(L);
        return lua_error(L);
    }
    lua_callk(L, 0, LUA_MULTRET, 0, finish_dofile);
    return finish_dofile(L, 0, 0);
}

void luas_openloading(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"load", text_load}, {"loadfile", text_loadfile}, {"dofile", text_dofile}, {NULL, NULL},
    };
    lua_pushglobaltable(L);
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
