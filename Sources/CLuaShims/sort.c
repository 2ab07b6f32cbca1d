#include "internal.h"
#include <limits.h>

// table.sort, which looks whether the script is to stop: sorting ten million numbers runs no hook of Lua's.
// A quicksort on the median of three; the list is at stack index 1, the order at 2.

typedef lua_Unsigned position;

// True if the value at `a` comes before that at `b`.
static bool is_before(lua_State *L, int a, int b) {
    luas_poll(L);
    if (lua_isnil(L, 2)) return lua_compare(L, a, b, LUA_OPLT);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, a < 0 ? a - 1 : a);
    lua_pushvalue(L, b < 0 ? b - 2 : b);
    lua_call(L, 2, 1);
    bool result = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return result;
}

static void get(lua_State *L, position i) { lua_geti(L, 1, (lua_Integer)i); }

// Stores the top at `i`, and what is below it at `j`.
static void set_both(lua_State *L, position i, position j) {
    lua_seti(L, 1, (lua_Integer)i);
    lua_seti(L, 1, (lua_Integer)j);
}

// Puts the elements at i < j in order.
static void order(lua_State *L, position i, position j) {
    get(L, i);
    get(L, j);
    if (is_before(L, -1, -2)) set_both(L, i, j);
    else lua_pop(L, 2);
}

// Splits low…high around the pivot, which is on top and at high - 1; returns where it comes to stand.
static position split(lua_State *L, position low, position high) {
    position i = low, j = high - 1;
    while (true) {
        while (get(L, ++i), is_before(L, -1, -2)) {
            if (i == high - 1) luaL_error(L, "invalid order function for sorting");
            lua_pop(L, 1);
        }
        while (get(L, --j), is_before(L, -3, -1)) {
            if (j < i) luaL_error(L, "invalid order function for sorting");
            lua_pop(L, 1);
        }
        if (j < i) break;
        set_both(L, i, j);
    }
    lua_pop(L, 1);
    // On the stack: the pivot, the element at i. The pivot goes between the two parts.
    get(L, high - 1);
    lua_insert(L, -2);
    set_both(L, high - 1, i);
    lua_pop(L, 1);
    return i;
}

// The middle, or for long lists somewhere around it, which no order of the elements can foresee.
static position choose(position low, position high, position *random) {
    position middle = low + (high - low) / 2;
    if (high - low < 100) return middle;
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    position quarter = (high - low) / 4;
    return low + quarter + (*random >> 33) % (2 * quarter);
}

static void sort(lua_State *L, position low, position high, position *random) {
    while (low < high) {
        order(L, low, high);
        if (high - low == 1) return;
        position middle = choose(low, high, random);
        order(L, low, middle);
        order(L, middle, high);
        if (high - low == 2) return;
        get(L, middle);
        lua_pushvalue(L, -1);
        get(L, high - 1);
        set_both(L, middle, high - 1);
        position pivot = split(L, low, high);
        // The smaller part by recursion, which is then no deeper than the logarithm.
        if (pivot - low < high - pivot) {
            sort(L, low, pivot - 1, random);
            low = pivot + 1;
        } else {
            sort(L, pivot + 1, high, random);
            high = pivot - 1;
        }
    }
}

int luas_sort(lua_State *L) {
    lua_Integer count = luas_checklist(L);
    if (count <= 1) return 0;
    luaL_argcheck(L, count < INT_MAX, 1, "array too big");
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    position random = (position)count;
    sort(L, 1, (position)count, &random);
    return 0;
}
