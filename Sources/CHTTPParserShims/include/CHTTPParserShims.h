#pragma once

// http_parser, loaded when the first answer is read by it.
//
// Why not linked: most runs read none, and would load it at every start. Why in C: what a parser knows stands in bit fields.

#if !__has_include(<http_parser.h>)
#error "http_parser's header is missing; install the package libhttp-parser-dev"
#endif
#include <http_parser.h>

/// Loads it, once and from any thread. Nil when it is there, else what the dynamic loader says. Every other function here
/// is called after this one returned nil.
const char *_Nullable chttp_load(void);

/// Sets `parser` to the beginning of an answer; `data` stays.
void chttp_begin_answer(http_parser *_Nonnull parser);
/// How many of the bytes were read: fewer when a callback paused the parser, or when it failed. No bytes are the end of
/// the connection.
size_t chttp_execute(
    http_parser *_Nonnull parser, const http_parser_settings *_Nonnull settings, const char *_Nullable bytes,
    size_t count);
/// Inside a callback: `chttp_execute` returns. Outside: it may be called again.
void chttp_pause(http_parser *_Nonnull parser, int paused);
/// Whether the connection can be used again; inside the callback of the end of the message.
int chttp_keeps_alive(const http_parser *_Nonnull parser);
int chttp_status(const http_parser *_Nonnull parser);
enum http_errno chttp_error(const http_parser *_Nonnull parser);
