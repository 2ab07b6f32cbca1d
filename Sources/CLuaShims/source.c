#include "internal.h"
#include <string.h>

// Checks source text before Lua compiles it. When an index fails, Lua goes back over the whole chain `a.b.c…` to name the
// value. The depth of this recursion is unlimited, and its time grows with the square of the length. A very long chain,
// which nobody writes, would stop the program for seconds or crash it.

enum { longest_chain = 200, deepest_brackets = 256 };

typedef struct {
    const char *at, *end;
    int line;
    // Fields so far in the expression, for each bracket that is open.
    int chain[deepest_brackets];
    // True if what is in the bracket becomes part of a chain: (a.b).c, but not f(a.b).c
    bool is_group[deepest_brackets];
    int depth;
    // True if a bracket, brace or string here would be a call or an index of what was before.
    bool follows_value;
} scanner;

static int peek(const scanner *in, size_t offset) {
    return (size_t)(in->end - in->at) > offset ? (unsigned char)in->at[offset] : -1;
}

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Steps over `[[…]]` or `[==[…]==]` when there is one here.
static bool skip_long_bracket(scanner *in) {
    size_t level = 1;
    while (peek(in, level) == '=') level++;
    if (peek(in, 0) != '[' || peek(in, level) != '[') return false;
    for (in->at += level + 1; in->at < in->end; in->at++) {
        if (*in->at == '\n') in->line++;
        if (*in->at != ']') continue;
        size_t same = 1;
        while (same < level && peek(in, same) == '=') same++;
        if (same == level && peek(in, same) == ']') {
            in->at += level + 1;
            return true;
        }
    }
    return true;
}

static void skip_comment(scanner *in) {
    in->at += 2;
    if (peek(in, 0) == '[' && skip_long_bracket(in)) return;
    const char *end = memchr(in->at, '\n', (size_t)(in->end - in->at));
    in->at = end != NULL ? end : in->end;
}

static void skip_string(scanner *in) {
    char quote = *in->at++;
    for (; in->at < in->end && *in->at != quote; in->at++) {
        if (*in->at == '\\' && in->at + 1 < in->end) in->at++;
        if (*in->at == '\n') in->line++;
    }
    if (in->at < in->end) in->at++;
}

static void skip_number(scanner *in) {
    for (int before = 0; in->at < in->end; before = *in->at++) {
        int c = peek(in, 0);
        bool is_exponent = (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
        if (!is_digit(c) && !is_letter(c) && c != '.' && !is_exponent) return;
    }
}

static bool is_keyword(const char *word, size_t length) {
    static const char *const keywords[] = {
        "and",    "break", "do", "else",     "elseif", "end", "false", "for",  "function", "goto",  "if",
        "in",     "local", "nil", "not",     "or",     "repeat", "return", "then", "true",  "until", "while",
    };
    if (length < 2 || length > 8) return false;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i]) == length && memcmp(keywords[i], word, length) == 0) return true;
    return false;
}

static void skip_name(scanner *in, bool is_field) {
    const char *start = in->at;
    while (is_letter(peek(in, 0)) || is_digit(peek(in, 0))) in->at++;
    if (is_field) in->chain[in->depth]++;
    else in->chain[in->depth] = 0;
    in->follows_value = is_field || !is_keyword(start, (size_t)(in->at - start));
}

static void skip_space(scanner *in) {
    while (true) {
        int c = peek(in, 0);
        if (c == '-' && peek(in, 1) == '-') {
            skip_comment(in);
        } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
            if (c == '\n') in->line++;
            in->at++;
        } else {
            return;
        }
    }
}

static bool open_bracket(scanner *in, bool is_group) {
    if (in->depth + 1 == deepest_brackets) return false;
    in->depth++;
    in->chain[in->depth] = 0;
    in->is_group[in->depth] = is_group;
    in->follows_value = false;
    return true;
}

static void close_bracket(scanner *in, char bracket) {
    if (in->depth == 0) return; // Lua finds the mistake
    int inner = in->chain[in->depth];
    bool is_group = in->is_group[in->depth];
    in->depth--;
    if (bracket == ']') in->chain[in->depth]++;
    else in->chain[in->depth] = is_group ? inner : 0;
    in->follows_value = bracket != '}' || !is_group;
}

// One token. False: brackets nest deeper than Lua's parser goes, which says so itself.
static bool step(scanner *in) {
    char c = *in->at;
    if (is_letter((unsigned char)c)) {
        skip_name(in, false);
    } else if (is_digit((unsigned char)c)) {
        skip_number(in);
        in->follows_value = false;
    } else if (c == '"' || c == '\'' || (c == '[' && skip_long_bracket(in))) {
        if (c != '[') skip_string(in);
        in->chain[in->depth] = 0; // a literal, or a call: f"x"
    } else if (c == '(' || c == '[' || c == '{') {
        in->at++;
        return open_bracket(in, !in->follows_value);
    } else if (c == ')' || c == ']' || c == '}') {
        in->at++;
        close_bracket(in, c);
    } else if (c == '.' && peek(in, 1) != '.' && !is_digit(peek(in, 1))) {
        in->at++;
        skip_space(in);
        if (is_letter(peek(in, 0))) skip_name(in, true);
    } else {
        if (c == '.') {
            while (peek(in, 0) == '.') in->at++;
        } else {
            in->at++;
        }
        in->chain[in->depth] = 0;
        in->follows_value = false;
    }
    return true;
}

int luas_checksource(lua_State *L, const char *text, size_t length) {
    scanner in = {.at = text, .end = text + length, .line = 1};
    for (unsigned tokens = 1;; tokens++) {
        if (tokens % 4096 == 0) luas_poll(L);
        skip_space(&in);
        if (in.at >= in.end || !step(&in)) return 0;
        if (in.chain[in.depth] > longest_chain) return in.line;
    }
}
