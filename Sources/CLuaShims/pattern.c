#include "pattern.h"
#include <ctype.h>
#include <string.h>

// The search for a pattern. A search may take very long and runs no hook of Lua's, so it checks for a stop every few
// thousand steps.

enum { deepest_search = 200, most_patience = 4096, escape = '%' };

static int byte(const char *at) { return (unsigned char)*at; }

static inline void spend(luas_search *search, ptrdiff_t steps) {
    if (steps < search->patience) {
        search->patience -= (int)steps;
    } else {
        search->patience = most_patience;
        luas_poll(search->L);
    }
}

void luas_startsearch(luas_search *search) {
    search->depth = deepest_search;
    search->count = 0;
}

// True if `c` is of the class `%letter`; a letter that names none stands for itself.
static bool is_in_class(int c, int letter) {
    bool is_in;
    switch (tolower(letter)) {
    case 'a': is_in = isalpha(c); break;
    case 'c': is_in = iscntrl(c); break;
    case 'd': is_in = isdigit(c); break;
    case 'g': is_in = isgraph(c); break;
    case 'l': is_in = islower(c); break;
    case 'p': is_in = ispunct(c); break;
    case 's': is_in = isspace(c); break;
    case 'u': is_in = isupper(c); break;
    case 'w': is_in = isalnum(c); break;
    case 'x': is_in = isxdigit(c); break;
    // This class is no longer in the manual, but still in Lua 5.4.
    case 'z': is_in = c == 0; break;
    default: return c == letter;
    }
    return isupper(letter) ? !is_in : is_in;
}

// Returns the end of the single character class that begins at `p`.
static const char *class_end(luas_search *search, const char *p) {
    const char *end = search->pattern_end;
    int first = byte(p++);
    if (first == escape) {
        if (p == end) luaL_error(search->L, "malformed pattern (ends with '%%')");
        return p + 1;
    }
    if (first != '[') return p;
    if (p < end && *p == '^') p++;
    // A bracket in the first place is a member of the set.
    do {
        if (p == end) luaL_error(search->L, "malformed pattern (missing ']')");
        if (*p++ == escape && p < end) p++;
    } while (p >= end || *p != ']');
    return p + 1;
}

// True if `c` is in the set from its bracket at `p` to the one at `last`.
static bool is_in_set(int c, const char *p, const char *last) {
    bool is_wanted = true;
    if (p[1] == '^') {
        is_wanted = false;
        p++;
    }
    for (p++; p < last; p++) {
        if (*p == escape) {
            p++;
            if (is_in_class(c, byte(p))) return is_wanted;
        } else if (p[1] == '-' && p + 2 < last) {
            if (byte(p) <= c && c <= byte(p + 2)) return is_wanted;
            p += 2;
        } else if (byte(p) == c) {
            return is_wanted;
        }
    }
    return !is_wanted;
}

static inline bool is_one(int c, const char *p, const char *end) {
    switch (*p) {
    case '.': return true;
    case escape: return is_in_class(c, byte(p + 1));
    case '[': return is_in_set(c, p, end - 1);
    default: return byte(p) == c;
    }
}

// Returns the end of the text that `%bxy` matches; `p` is at x.
static const char *balanced_end(luas_search *search, const char *s, const char *p) {
    if (search->pattern_end - p < 2) luaL_error(search->L, "malformed pattern (missing arguments to '%%b')");
    if (s >= search->subject_end || *s != p[0]) return NULL;
    const char *start = s;
    size_t open = 1;
    for (s++; s < search->subject_end; s++) {
        if (*s == p[1]) {
            if (--open == 0) break;
        } else if (*s == p[0]) {
            open++;
        }
    }
    spend(search, s - start);
    return s < search->subject_end ? s + 1 : NULL;
}

// Matches as many characters of the class p…end as possible, and then the rest.
static const char *match_most(luas_search *search, const char *s, const char *p, const char *end) {
    const char *last = s;
    while (last < search->subject_end && is_one(byte(last), p, end)) {
        last++;
        if (((last - s) & 0xfff) == 0) spend(search, 0x1000);
    }
    for (; last >= s; last--) {
        const char *result = luas_match(search, last, end + 1);
        if (result != NULL) return result;
    }
    return NULL;
}

static const char *match_fewest(luas_search *search, const char *s, const char *p, const char *end) {
    while (true) {
        const char *result = luas_match(search, s, end + 1);
        if (result != NULL) return result;
        if (s >= search->subject_end || !is_one(byte(s), p, end)) return NULL;
        s++;
    }
}

static const char *open_capture(luas_search *search, const char *s, const char *p, ptrdiff_t kind) {
    if (search->count == luas_most_captures) luaL_error(search->L, "too many captures");
    search->captures[search->count].start = s;
    search->captures[search->count].length = kind;
    search->count++;
    const char *result = luas_match(search, s, p);
    if (result == NULL) search->count--;
    return result;
}

static const char *close_capture(luas_search *search, const char *s, const char *p) {
    int i = search->count - 1;
    while (i >= 0 && search->captures[i].length != luas_capture_open) i--;
    if (i < 0) luaL_error(search->L, "invalid pattern capture");
    search->captures[i].length = s - search->captures[i].start;
    const char *result = luas_match(search, s, p);
    if (result == NULL) search->captures[i].length = luas_capture_open;
    return result;
}

// Returns the end of the text at `s` that repeats the capture `%digit`.
static const char *repeated_end(luas_search *search, const char *s, int digit) {
    int i = digit - '1';
    if (i < 0 || i >= search->count || search->captures[i].length == luas_capture_open)
        luaL_error(search->L, "invalid capture index %%%d", i + 1);
    // As large as it can be for a position, which no text is.
    size_t length = (size_t)search->captures[i].length;
    if ((size_t)(search->subject_end - s) < length || memcmp(search->captures[i].start, s, length) != 0) return NULL;
    return s + length;
}

// `%f[set]`, at the bracket: between one that is not of the set and one that is.
static const char *frontier_end(luas_search *search, const char *s, const char *p) {
    if (p == search->pattern_end || *p != '[') luaL_error(search->L, "missing '[' after '%%f' in pattern");
    const char *end = class_end(search, p);
    int before = s == search->subject ? '\0' : byte(s - 1);
    int after = s == search->subject_end ? '\0' : byte(s);
    return !is_in_set(before, p, end - 1) && is_in_set(after, p, end - 1) ? end : NULL;
}

// Matches a class and its suffix: one of *, +, -, ? or none. Returns the end of the whole match, or NULL; or sets
// `rest`, from which the caller goes on at `*subject`.
static const char *match_class(luas_search *search, const char **subject, const char *p, const char **rest) {
    const char *s = *subject, *end = class_end(search, p);
    int suffix = end < search->pattern_end ? *end : '\0';
    if (s >= search->subject_end || !is_one(byte(s), p, end)) {
        if (suffix == '*' || suffix == '?' || suffix == '-') *rest = end + 1;
        return NULL;
    }
    switch (suffix) {
    case '*': return match_most(search, s, p, end);
    case '+': return match_most(search, s + 1, p, end);
    case '-': return match_fewest(search, s, p, end);
    case '?': {
        const char *result = luas_match(search, s + 1, end + 1);
        if (result == NULL) *rest = end + 1;
        return result;
    }
    default:
        *subject = s + 1;
        *rest = end;
        return NULL;
    }
}

// Continues after an item without alternatives in a loop, without recursion.
static const char *match_on(luas_search *search, const char *s, const char *p) {
    while (p < search->pattern_end) {
        spend(search, 1);
        const char *rest = NULL;
        if (*p == '(') {
            if (p + 1 < search->pattern_end && p[1] == ')') return open_capture(search, s, p + 2, luas_capture_position);
            return open_capture(search, s, p + 1, luas_capture_open);
        }
        if (*p == ')') return close_capture(search, s, p + 1);
        if (*p == '$' && p + 1 == search->pattern_end) return s == search->subject_end ? s : NULL;
        int letter = *p == escape && p + 1 < search->pattern_end ? byte(p + 1) : '\0';
        if (letter == 'b') {
            s = balanced_end(search, s, p + 2);
            if (s == NULL) return NULL;
            rest = p + 4;
        } else if (letter == 'f') {
            rest = frontier_end(search, s, p + 2);
        } else if (letter >= '0' && letter <= '9') {
            s = repeated_end(search, s, letter);
            if (s == NULL) return NULL;
            rest = p + 2;
        } else {
            const char *result = match_class(search, &s, p, &rest);
            if (result != NULL) return result;
        }
        if (rest == NULL) return NULL;
        p = rest;
    }
    return s;
}

const char *luas_match(luas_search *search, const char *subject, const char *pattern) {
    if (search->depth-- == 0) luaL_error(search->L, "pattern too complex");
    const char *result = match_on(search, subject, pattern);
    search->depth++;
    return result;
}
