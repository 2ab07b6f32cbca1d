#include "internal.h"
#include <stdlib.h>
#include <string.h>

// Lua says how large a block is when it gives it back. So small blocks need no head of their own and no search: those of
// one size hang in one list. Tables and short strings are made and dropped in a third of malloc's time.

enum { grain = 16, largest = grain * luas_pool_classes, chunk_size = 64 << 10 };

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// It watches over malloc's blocks only.
#define POOLS 0
#endif
#endif
#ifndef POOLS
#define POOLS 1
#endif

static bool is_small(size_t size) { return POOLS && size <= largest; }
static size_t class_of(size_t size) { return (size - 1) / grain; }

static void *take(luas_pool *pool, size_t size) {
    if (!is_small(size)) return malloc(size);
    void **list = &pool->free[class_of(size)];
    if (*list != NULL) {
        void *block = *list;
        *list = *(void **)block;
        return block;
    }
    size_t room = (class_of(size) + 1) * grain;
    if (pool->left < room) {
        // The rest of the previous chunk stays unused until the pool is freed.
        char *chunk = malloc(chunk_size);
        if (chunk == NULL) return NULL;
        *(void **)chunk = pool->chunks;
        pool->chunks = chunk;
        pool->next = chunk + grain;
        pool->left = chunk_size - grain;
    }
    void *block = pool->next;
    pool->next += room;
    pool->left -= room;
    return block;
}

static void give_back(luas_pool *pool, void *block, size_t size) {
    if (!is_small(size)) {
        free(block);
        return;
    }
    void **list = &pool->free[class_of(size)];
    *(void **)block = *list;
    *list = block;
}

void *luas_resize(luas_pool *pool, void *block, size_t old_size, size_t new_size) {
    if (block == NULL) return new_size == 0 ? NULL : take(pool, new_size);
    if (new_size == 0) {
        give_back(pool, block, old_size);
        return NULL;
    }
    if (!is_small(old_size) && !is_small(new_size)) return realloc(block, new_size);
    if (is_small(old_size) && is_small(new_size) && class_of(old_size) == class_of(new_size)) return block;
    void *moved = take(pool, new_size);
    if (moved == NULL) return NULL;
    memcpy(moved, block, old_size < new_size ? old_size : new_size);
    give_back(pool, block, old_size);
    return moved;
}

void luas_freepool(luas_pool *pool) {
    while (pool->chunks != NULL) {
        void *chunk = pool->chunks;
        pool->chunks = *(void **)chunk;
        free(chunk);
    }
    memset(pool, 0, sizeof *pool);
}
