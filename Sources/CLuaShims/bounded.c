#include "internal.h"
#include <limits.h>
#include <string.h>

// Functions of the standard libraries that may run for long without Lua's hooks, which stop scripts. The versions here check
// for a stop themselves. The manual describes the functions in §6.4 and §6.6.

enum { longest_copy = 16 << 20 };

// string.rep. It doubles the text that it has built so far.
static int string_rep(lua_State *L) {
    size_t length, gap;
    const char *text = luaL_checklstring(L, 1, &length);
    lua_Integer count = luaL_checkinteger(L, 2);
    const char *separator = luaL_optlstring(L, 3, "", &gap);
    size_t unit = length + gap;
    if (count <= 0 || unit == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    if (unit < length || unit > (size_t)INT_MAX / (size_t)count) return luaL_error(L, "resulting string too large");
    size_t total = (size_t)count * unit - gap, done = length;
    luaL_Buffer result;
    char *bytes = luaL_buffinitsize(L, &result, total);
    memcpy(bytes, text, length);
    if (count > 1) {
        memcpy(bytes + length, separator, gap);
        done = unit;
    }
    while (done < total) {
        size_t step = done < total - done ? done : total - done;
        // Copies whole units, so that the next copy starts with a whole unit.
        if (step > longest_copy && longest_copy > unit) step = longest_copy - longest_copy % unit;
        memcpy(bytes + done, bytes, step);
        done += step;
        luas_poll(L);
    }
    luaL_pushresultsize(&result, total);
    return 1;
}

enum { reads = 1, writes = 2, has_length = 4 };

static bool has_method(lua_State *L, int metatable, const char *name) {
    lua_pushstring(L, name);
    bool has = lua_rawget(L, metatable) != LUA_TNIL;
    lua_pop(L, 1);
    return has;
}

// Checks that the argument is a table or behaves like one.
static void check_table(lua_State *L, int index, int use) {
    if (lua_istable(L, index)) return;
    if (lua_getmetatable(L, index)) {
        int metatable = lua_gettop(L);
        bool fits = (!(use & reads) || has_method(L, metatable, "__index"))
            && (!(use & writes) || has_method(L, metatable, "__newindex"))
            && (!(use & has_length) || has_method(L, metatable, "__len"));
        lua_pop(L, 1);
        if (fits) return;
    }
    luaL_checktype(L, index, LUA_TTABLE);
}

static lua_Integer check_list(lua_State *L, int use) {
    check_table(L, 1, use | has_length);
    return luaL_len(L, 1);
}

lua_Integer luas_checklist(lua_State *L) { return check_list(L, reads | writes); }

static void add_element(lua_State *L, luaL_Buffer *result, lua_Integer index) {
    luas_poll(L);
    lua_geti(L, 1, index);
    if (!lua_isstring(L, -1))
        luaL_error(
            L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1), (LUAI_UACINT)index);
    luaL_addvalue(result);
}

static int table_concat(lua_State *L) {
    lua_Integer last = check_list(L, reads);
    size_t gap;
    const char *separator = luaL_optlstring(L, 2, "", &gap);
    lua_Integer first = luaL_optinteger(L, 3, 1);
    last = luaL_optinteger(L, 4, last);
    luaL_Buffer result;
    luaL_buffinit(L, &result);
    for (lua_Integer i = first; i < last; i++) {
        add_element(L, &result, i);
        luaL_addlstring(&result, separator, gap);
    }
    if (first <= last) add_element(L, &result, last);
    luaL_pushresult(&result);
    return 1;
}

static int table_insert(lua_State *L) {
    lua_Integer end = (lua_Integer)((lua_Unsigned)check_list(L, reads | writes) + 1);
    switch (lua_gettop(L)) {
    case 2: break;
    case 3: {
        lua_Integer position = luaL_checkinteger(L, 2);
        luaL_argcheck(L, (lua_Unsigned)position - 1 < (lua_Unsigned)end, 2, "position out of bounds");
        for (lua_Integer i = end; i > position; i--) {
            luas_poll(L);
            lua_geti(L, 1, i - 1);
            lua_seti(L, 1, i);
        }
        end = position;
        break;
    }
    default: return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    lua_seti(L, 1, end);
    return 0;
}

static int table_remove(lua_State *L) {
    lua_Integer count = check_list(L, reads | writes);
    lua_Integer position = luaL_optinteger(L, 2, count);
    if (position != count)
        luaL_argcheck(L, (lua_Unsigned)position - 1 <= (lua_Unsigned)count, 1, "position out of bounds");
    lua_geti(L, 1, position);
    for (; position < count; position++) {
        luas_poll(L);
        lua_geti(L, 1, position + 1);
        lua_seti(L, 1, position);
    }
    lua_pushnil(L);
    lua_seti(L, 1, position);
    return 1;
}

static int table_move(lua_State *L) {
    lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3), target = luaL_checkinteger(L, 4);
    int to = lua_isnoneornil(L, 5) ? 1 : 5;
    check_table(L, 1, reads);
    check_table(L, to, writes);
    if (first <= last) {
        luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
        lua_Integer count = last - first + 1;
        luaL_argcheck(L, target <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
        // Moves backwards if moving forwards would overwrite elements that are still to be moved.
        bool overlaps = target > first && target <= last && (to == 1 || lua_compare(L, 1, to, LUA_OPEQ));
        for (lua_Integer i = 0; i < count; i++) {
            luas_poll(L);
            lua_Integer offset = overlaps ? count - 1 - i : i;
            lua_geti(L, 1, first + offset);
            lua_seti(L, to, target + offset);
        }
    }
    lua_pushvalue(L, to);
    return 1;
}

void luas_openbounded(lua_State *L) {
    static const luaL_Reg table[] = {
        {"concat", table_concat}, {"insert", table_insert}, {"move", table_move}, {"remove", table_remove},
        {"sort", luas_sort},      {NULL, NULL},
    };
    lua_getglobal(L, LUA_TABLIBNAME);
    luaL_setfuncs(L, table, 0);
    lua_pop(L, 1);
    lua_getglobal(L, LUA_STRLIBNAME);
    lua_pushcfunction(L, string_rep);
    lua_setfield(L, -2, "rep");
    lua_pop(L, 1);
}
