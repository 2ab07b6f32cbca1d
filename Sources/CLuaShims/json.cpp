// Turns JSON text directly into Lua values: each event of RapidJSON's reader becomes a call of Lua's API.
//
// The code is C++ because RapidJSON is C++. The program reads all other JSON with jansson, but for the same list jansson alone
// takes three times as long as Python, before it has made a single table.

extern "C" {
#include "internal.h"
}

#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#elif defined(__ARM_NEON)
#define RAPIDJSON_NEON
#endif
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <rapidjson/reader.h>

namespace {

/// The names of the members of the first object at some depth, in their order. Lists are of objects that look alike: a
/// name that stands where it stood before is not made again, and such an object has no name twice.
struct Shape {
    static constexpr int most_names = 24;
    static constexpr size_t longest_name = 32;

    struct Name {
        char text[longest_name];
        size_t length;
    };
    Name names[most_names];
    int count = 0;
    bool is_known = false;
};

/// Handles the events of RapidJSON's reader. A handler that returns false ends the reading.
class Builder {
    static constexpr int deepest_shape = 3;
    static constexpr int most_levels = 256;

    struct Level {
        bool is_array;
        /// For an object: true if its names so far are the names of the shape.
        bool fits;
        /// For an object: true if the shape is made from this object.
        bool is_model;
        lua_Integer count;
    };

    lua_State *L;
    luas_host *host;
    int null, array_metatable, names;
    int deepest, depth = 0;
    Level levels[most_levels];
    Shape shapes[deepest_shape];

  public:
    /// Values on the stack: json.null, the metatable of arrays, and `room` places from `names` on.
    static constexpr int room = deepest_shape * Shape::most_names;

    Builder(lua_State *L, int null, int array_metatable, int names, int deepest)
        : L(L), host(luas_gethost(L)), null(null), array_metatable(array_metatable), names(names), deepest(std::min(deepest, most_levels)) {}

    bool Null() {
        lua_pushvalue(L, null);
        return add();
    }

    bool Bool(bool value) {
        lua_pushboolean(L, value);
        return add();
    }

    // Numbers come as text: RapidJSON takes integers that are too large for floating point numbers.
    bool RawNumber(const char *text, rapidjson::SizeType length, bool) {
        bool is_integer = memchr(text, '.', length) == nullptr && memchr(text, 'e', length) == nullptr
            && memchr(text, 'E', length) == nullptr;
        if (is_integer) {
            lua_Integer value = 0;
            if (std::from_chars(text, text + length, value).ec != std::errc()) return false;
            lua_pushinteger(L, value);
        } else {
            double value = 0;
            if (std::from_chars(text, text + length, value).ec != std::errc() || !std::isfinite(value)) return false;
            lua_pushnumber(L, value);
        }
        return add();
    }
    bool Int(int) { return false; }
    bool Uint(unsigned) { return false; }
    bool Int64(int64_t) { return false; }
    bool Uint64(uint64_t) { return false; }
    bool Double(double) { return false; }

    bool String(const char *text, rapidjson::SizeType length, bool) {
        if (has_surrogate(text, length)) return false;
        lua_pushlstring(L, text, length);
        return add();
    }

    bool StartObject() {
        if (depth == deepest || !lua_checkstack(L, 4)) return false;
        Shape *shape = depth < deepest_shape ? &shapes[depth] : nullptr;
        bool is_model = shape != nullptr && !shape->is_known;
        if (is_model) shape->is_known = true;
        lua_createtable(L, 0, shape != nullptr ? shape->count : 0);
        levels[depth++] = Level{false, shape != nullptr, is_model, 0};
        return true;
    }

    bool Key(const char *text, rapidjson::SizeType length, bool) {
        Level &level = levels[depth - 1];
        lua_Integer position = level.count++;
        if (level.fits && !level.is_model) {
            const Shape &shape = shapes[depth - 1];
            if (position < shape.count && shape.names[position].length == length
                && memcmp(shape.names[position].text, text, length) == 0) {
                lua_pushvalue(L, name(position));
                return true;
            }
            level.fits = false;
        }
        if (memchr(text, 0, length) != nullptr || has_surrogate(text, length)) return false;
        lua_pushlstring(L, text, length);
        lua_pushvalue(L, -1);
        if (lua_rawget(L, -3) != LUA_TNIL) return false; // the name is there already
        lua_pop(L, 1);
        if (level.is_model) learn(position, text, length);
        return true;
    }

    bool EndObject(rapidjson::SizeType) {
        depth--;
        return add();
    }

    bool StartArray() {
        if (depth == deepest || !lua_checkstack(L, 4)) return false;
        lua_createtable(L, 0, 0);
        lua_pushvalue(L, array_metatable);
        lua_setmetatable(L, -2);
        levels[depth++] = Level{true, false, false, 0};
        return true;
    }

    bool EndArray(rapidjson::SizeType) {
        depth--;
        return add();
    }

  private:
    /// Stores the value on top in its array or object.
    bool add() {
        if (depth == 0) return true;
        Level &level = levels[depth - 1];
        if (level.is_array) lua_rawseti(L, -2, ++level.count);
        else lua_rawset(L, -3);
        return !luas_muststop(host);
    }

    int name(lua_Integer position) const { return names + (depth - 1) * Shape::most_names + (int)position; }

    void learn(lua_Integer position, const char *text, size_t length) {
        Shape &shape = shapes[depth - 1];
        if (position != shape.count || position == Shape::most_names || length > Shape::longest_name) return;
        memcpy(shape.names[position].text, text, length);
        shape.names[position].length = length;
        shape.count++;
        lua_copy(L, -1, name(position));
    }

    /// RapidJSON accepts the second half of a surrogate pair without the first half.
    static bool has_surrogate(const char *text, size_t length) {
        const char *end = text + length;
        while ((text = (const char *)memchr(text, 0xED, end - text)) != nullptr) {
            if (end - text > 1 && (unsigned char)text[1] >= 0xA0) return true;
            text++;
        }
        return false;
    }
};

/// RapidJSON 1.1 accepts the control characters from 0x1A in a long string. No JSON text has them anywhere.
bool has_control(const char *text, size_t length) {
    unsigned found = 0;
    for (size_t index = 0; index < length; index++) found |= (unsigned char)(text[index] - 0x1A) < 6;
    return found != 0;
}

} // namespace

extern "C" bool luas_pushjson(lua_State *L, const char *text, size_t length, int deepest) {
    int array_metatable = lua_gettop(L), null = array_metatable - 1;
    if (has_control(text, length)) {
        lua_settop(L, null - 1);
        return false;
    }
    if (!lua_checkstack(L, Builder::room + 4)) return false;
    luas_collectdue(L);
    bool collects = luas_stopcollecting(L);
    for (int index = 0; index < Builder::room; index++) lua_pushnil(L);
    Builder builder(L, null, array_metatable, array_metatable + 1, deepest);
    rapidjson::StringStream stream(text);
    rapidjson::Reader reader;
    bool is_read = !reader.Parse<rapidjson::kParseNumbersAsStringsFlag>(stream, builder).IsError()
        && stream.Tell() == length;
    if (is_read) lua_replace(L, null);
    lua_settop(L, is_read ? null : null - 1);
    luas_collectagain(L, collects);
    return is_read;
}
