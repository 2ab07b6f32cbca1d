#include "CLuaShims.h"
#include "internal.h"
#include <stdlib.h>
#include <string.h>

// Counts how often each line of each chunk runs, and the ways between lines of one call. This runs at every line, so it is C.

enum { most_sources = 4096, most_line = 1 << 20, depths = 256 };

typedef struct source {
    // Stays valid: a function of the chunk is kept in the registry.
    const char *name;
    uint32_t *counts;
    int lines;
} source;

typedef struct way {
    uint32_t source, from, to;
} way;

struct luas_cover {
    source *sources;
    int source_count, last;
    // The ways in an open hash table; `to` is 0 in a free place.
    way *ways;
    size_t way_room, way_count;
    // The latest line of some calls, by the hash of the call.
    struct {
        const void *call;
        uint32_t source, line;
    } latest[depths];
};

luas_cover *luas_makecover(void) { return calloc(1, sizeof(luas_cover)); }

void luas_freecover(luas_cover *cover) {
    for (int i = 0; i < cover->source_count; i++) free(cover->sources[i].counts);
    free(cover->sources);
    free(cover->ways);
    free(cover);
}

static int find_source(lua_State *L, luas_cover *cover, lua_Debug *activation) {
    if (cover->last < cover->source_count && cover->sources[cover->last].name == activation->source) return cover->last;
    for (int i = 0; i < cover->source_count; i++)
        if (cover->sources[i].name == activation->source) return cover->last = i;
    if (cover->source_count == most_sources || !lua_checkstack(L, 2)) return -1;
    if ((cover->source_count & (cover->source_count + 1)) == 0) {
        source *grown = realloc(cover->sources, sizeof *grown * (size_t)(2 * cover->source_count + 2));
        if (grown == NULL) return -1;
        cover->sources = grown;
    }
    lua_getinfo(L, "f", activation);
    luaL_ref(L, LUA_REGISTRYINDEX);
    cover->sources[cover->source_count] = (source){.name = activation->source};
    return cover->last = cover->source_count++;
}

static void count_line(source *source, int line) {
    if (line >= source->lines) {
        int lines = 2 * line + 64;
        uint32_t *grown = realloc(source->counts, sizeof *grown * (size_t)lines);
        if (grown == NULL) return;
        memset(grown + source->lines, 0, sizeof *grown * (size_t)(lines - source->lines));
        source->counts = grown;
        source->lines = lines;
    }
    if (source->counts[line] < UINT32_MAX) source->counts[line]++;
}

static size_t place_of(const way *ways, size_t room, way wanted) {
    size_t at = (wanted.source * 31 + wanted.from * 1009 + wanted.to * 7919) & (room - 1);
    while (ways[at].to != 0 && memcmp(&ways[at], &wanted, sizeof wanted) != 0) at = (at + 1) & (room - 1);
    return at;
}

static void add_way(luas_cover *cover, way taken) {
    if (2 * cover->way_count >= cover->way_room) {
        size_t room = cover->way_room == 0 ? 1024 : 2 * cover->way_room;
        way *grown = calloc(room, sizeof *grown);
        if (grown == NULL) return;
        for (size_t i = 0; i < cover->way_room; i++)
            if (cover->ways[i].to != 0) grown[place_of(grown, room, cover->ways[i])] = cover->ways[i];
        free(cover->ways);
        cover->ways = grown;
        cover->way_room = room;
    }
    size_t at = place_of(cover->ways, cover->way_room, taken);
    if (cover->ways[at].to != 0) return;
    cover->ways[at] = taken;
    cover->way_count++;
}

void luas_coverline(lua_State *L, luas_cover *cover, lua_Debug *activation) {
    int line = activation->currentline;
    if (line <= 0 || line > most_line || !lua_getinfo(L, "S", activation)) return;
    int found = find_source(L, cover, activation);
    if (found < 0) return;
    count_line(&cover->sources[found], line);
    const void *call = activation->i_ci;
    size_t slot = ((uintptr_t)call >> 5) % depths;
    uint32_t source = (uint32_t)found, from = cover->latest[slot].line;
    if (cover->latest[slot].call == call && cover->latest[slot].source == source && from != (uint32_t)line)
        add_way(cover, (way){.source = source, .from = from, .to = (uint32_t)line});
    cover->latest[slot].call = call;
    cover->latest[slot].source = source;
    cover->latest[slot].line = (uint32_t)line;
}

int luas_coveredsources(const luas_cover *cover) { return cover->source_count; }
const char *luas_coveredname(const luas_cover *cover, int index) { return cover->sources[index].name; }

uint32_t luas_coveredcount(const luas_cover *cover, int index, int line) {
    const source *source = &cover->sources[index];
    return line < source->lines ? source->counts[line] : 0;
}

bool luas_hasway(const luas_cover *cover, int index, int from, int to) {
    if (cover->way_room == 0) return false;
    way wanted = {.source = (uint32_t)index, .from = (uint32_t)from, .to = (uint32_t)to};
    return cover->ways[place_of(cover->ways, cover->way_room, wanted)].to != 0;
}
