#pragma once

#include "internal.h"

// Lua's patterns (manual §6.4.1) over one subject.

enum { luas_most_captures = 32 };

typedef struct luas_search {
    lua_State *L;
    const char *subject, *subject_end, *pattern_end;
    /// The number of levels that the search may still descend.
    int depth;
    /// The number of steps until the next check for a stop.
    int patience;
    /// The number of captures begun so far.
    int count;
    struct {
        const char *start;
        /// Or one of the two below.
        ptrdiff_t length;
    } captures[luas_most_captures];
} luas_search;

enum { luas_capture_open = -1, luas_capture_position = -2 };

/// Makes `search` ready for another match.
void luas_startsearch(luas_search *search);
/// Returns the end of the match of `pattern` that begins at `subject`, or NULL. Raises an error if the pattern is malformed.
const char *luas_match(luas_search *search, const char *subject, const char *pattern);
