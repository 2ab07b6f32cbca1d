#define _GNU_SOURCE
#include "pattern.h"
#include <ctype.h>
#include <string.h>

// string.find, match, gmatch and gsub (manual §6.4).

static void prepare(luas_search *search, lua_State *L, const char *s, size_t length, const char *p, size_t pattern_length) {
    search->L = L;
    search->subject = s;
    search->subject_end = s + length;
    search->pattern_end = p + pattern_length;
    search->patience = 0;
}

// The text of capture `i`, the whole match from `s` to `end` if there are none. A position, which has no text, is pushed,
// and the answer is luas_capture_position.
static ptrdiff_t capture(luas_search *search, int i, const char *s, const char *end, const char **text) {
    if (i >= search->count) {
        if (i != 0) luaL_error(search->L, "invalid capture index %%%d", i + 1);
        *text = s;
        return end - s;
    }
    ptrdiff_t length = search->captures[i].length;
    *text = search->captures[i].start;
    if (length == luas_capture_open) luaL_error(search->L, "unfinished capture");
    if (length == luas_capture_position) lua_pushinteger(search->L, *text - search->subject + 1);
    return length;
}

static void push_capture(luas_search *search, int i, const char *s, const char *end) {
    const char *text;
    ptrdiff_t length = capture(search, i, s, end, &text);
    if (length != luas_capture_position) lua_pushlstring(search->L, text, (size_t)length);
}

// Pushes all captures; without any, the whole match if `s` is given.
static int push_captures(luas_search *search, const char *s, const char *end) {
    int count = search->count == 0 && s != NULL ? 1 : search->count;
    luaL_checkstack(search->L, count, "too many captures");
    for (int i = 0; i < count; i++) push_capture(search, i, s, end);
    return count;
}

// An index from 1 on, or from the end if negative, as an offset.
static size_t offset(lua_Integer index, size_t length) {
    if (index > 0) return (size_t)index - 1;
    if (index == 0 || index < -(lua_Integer)length) return 0;
    return length - (size_t)-index;
}

static bool is_plain(const char *p, size_t length) {
    static const char special[] = "^$*+?.([%-";
    for (size_t i = 0; i < length; i++)
        if (p[i] != '\0' && strchr(special, p[i]) != NULL) return false;
    return true;
}

static int find_plain(lua_State *L, const char *s, size_t length, size_t from, const char *p, size_t pattern_length) {
    const char *found = pattern_length == 0 ? s + from : memmem(s + from, length - from, p, pattern_length);
    if (found == NULL) {
        luaL_pushfail(L);
        return 1;
    }
    lua_pushinteger(L, found - s + 1);
    lua_pushinteger(L, found - s + (lua_Integer)pattern_length);
    return 2;
}

static int search_once(lua_State *L, bool is_find) {
    size_t length, pattern_length;
    const char *s = luaL_checklstring(L, 1, &length), *p = luaL_checklstring(L, 2, &pattern_length);
    size_t from = offset(luaL_optinteger(L, 3, 1), length);
    luas_poll(L);
    if (from > length) {
        luaL_pushfail(L);
        return 1;
    }
    if (is_find && (lua_toboolean(L, 4) || is_plain(p, pattern_length)))
        return find_plain(L, s, length, from, p, pattern_length);
    luas_search search;
    bool is_anchored = pattern_length > 0 && *p == '^';
    prepare(&search, L, s, length, p, pattern_length);
    if (is_anchored) p++;
    for (const char *start = s + from; start <= search.subject_end; start++) {
        luas_startsearch(&search);
        const char *end = luas_match(&search, start, p);
        if (end != NULL && is_find) {
            lua_pushinteger(L, start - s + 1);
            lua_pushinteger(L, end - s);
            return push_captures(&search, NULL, NULL) + 2;
        }
        if (end != NULL) return push_captures(&search, start, end);
        if (is_anchored) break;
    }
    luaL_pushfail(L);
    return 1;
}

static int string_find(lua_State *L) { return search_once(L, true); }
static int string_match(lua_State *L) { return search_once(L, false); }

// --- gmatch ---------------------------------------------------------------------------------------------------------

// The state of an iterator. The strings are also upvalues of the iterator.
typedef struct {
    luas_search search;
    const char *at, *pattern, *last_end;
} iteration;

static int next_match(lua_State *L) {
    iteration *self = lua_touserdata(L, lua_upvalueindex(3));
    self->search.L = L;
    luas_poll(L);
    for (; self->at <= self->search.subject_end; self->at++) {
        luas_startsearch(&self->search);
        const char *start = self->at, *end = luas_match(&self->search, start, self->pattern);
        if (end == NULL || end == self->last_end) continue;
        self->at = self->last_end = end;
        return push_captures(&self->search, start, end);
    }
    return 0;
}

static int string_gmatch(lua_State *L) {
    size_t length, pattern_length;
    const char *s = luaL_checklstring(L, 1, &length), *p = luaL_checklstring(L, 2, &pattern_length);
    size_t from = offset(luaL_optinteger(L, 3, 1), length);
    lua_settop(L, 2);
    iteration *self = lua_newuserdatauv(L, sizeof *self, 0);
    prepare(&self->search, L, s, length, p, pattern_length);
    self->at = s + (from > length ? length + 1 : from);
    self->pattern = p;
    self->last_end = NULL;
    lua_pushcclosure(L, next_match, 3);
    return 1;
}

// --- gsub -----------------------------------------------------------------------------------------------------------

// Adds the replacement text, with its %0 to %9.
static void add_text(luas_search *search, luaL_Buffer *result, const char *s, const char *end) {
    lua_State *L = search->L;
    size_t length;
    const char *text = lua_tolstring(L, 3, &length), *text_end = text + length, *mark;
    for (; (mark = memchr(text, '%', (size_t)(text_end - text))) != NULL; text = mark + 2) {
        luaL_addlstring(result, text, (size_t)(mark - text));
        int c = (unsigned char)mark[1]; // or the NUL behind the string
        if (c == '%') {
            luaL_addchar(result, '%');
        } else if (c == '0') {
            luaL_addlstring(result, s, (size_t)(end - s));
        } else if (c >= '1' && c <= '9') {
            const char *captured;
            ptrdiff_t size = capture(search, c - '1', s, end, &captured);
            if (size == luas_capture_position) luaL_addvalue(result);
            else luaL_addlstring(result, captured, (size_t)size);
        } else {
            luaL_error(L, "invalid use of '%%' in replacement string");
        }
    }
    luaL_addlstring(result, text, (size_t)(text_end - text));
}

// Adds the replacement of the match from `s` to `end`. Returns false if it is the match itself.
static bool add_replacement(luas_search *search, luaL_Buffer *result, const char *s, const char *end, int type) {
    lua_State *L = search->L;
    switch (type) {
    case LUA_TFUNCTION:
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(search, s, end), 1);
        break;
    case LUA_TTABLE:
        push_capture(search, 0, s, end);
        lua_gettable(L, 3);
        break;
    default: add_text(search, result, s, end); return true;
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(result, s, (size_t)(end - s));
        return false;
    }
    if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    luaL_addvalue(result);
    return true;
}

static int string_gsub(lua_State *L) {
    size_t length, pattern_length;
    const char *s = luaL_checklstring(L, 1, &length), *p = luaL_checklstring(L, 2, &pattern_length);
    int type = lua_type(L, 3);
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1), count = 0;
    bool is_replacement = type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE;
    luaL_argexpected(L, is_replacement, 3, "string/function/table");
    luas_search search;
    bool is_anchored = pattern_length > 0 && *p == '^', has_changed = false;
    prepare(&search, L, s, length, p, pattern_length);
    if (is_anchored) p++;
    luaL_Buffer result;
    luaL_buffinit(L, &result);
    const char *last_end = NULL;
    while (count < most) {
        luas_startsearch(&search);
        const char *end = luas_match(&search, s, p);
        if (end != NULL && end != last_end) {
            count++;
            if (add_replacement(&search, &result, s, end, type)) has_changed = true;
            s = last_end = end;
        } else if (s < search.subject_end) {
            luaL_addchar(&result, *s);
            s++;
        } else {
            break;
        }
        if (is_anchored) break;
    }
    if (has_changed) {
        luaL_addlstring(&result, s, (size_t)(search.subject_end - s));
        luaL_pushresult(&result);
    } else {
        lua_pushvalue(L, 1);
    }
    lua_pushinteger(L, count);
    return 2;
}

void luas_openpatterns(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"find", string_find}, {"gmatch", string_gmatch}, {"gsub", string_gsub}, {"match", string_match}, {NULL, NULL},
    };
    lua_getglobal(L, LUA_STRLIBNAME);
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
