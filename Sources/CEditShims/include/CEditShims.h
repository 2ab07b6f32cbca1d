#pragma once

// libedit, loaded when an interactive session begins.
//
// Why not linked: only the session on a terminal needs it. Why in C: its functions are variadic.

#if !__has_include(<histedit.h>)
#error "libedit's header is missing; install the package libedit-dev"
#endif
#include <stdbool.h>
#include <stddef.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable cedit_load(void);

/// A line that a person edits on the terminal. All its functions are called on one thread.
typedef struct cedit cedit;

/// Completes the text in front of the cursor: it calls `cedit_text` and `cedit_insert`. Returns true if it has written text
/// below the line; the line is then drawn again.
typedef bool (*cedit_complete)(cedit *_Nonnull line, void *_Nullable context);

/// The result of a key.
enum { CEDIT_MORE, CEDIT_LINE, CEDIT_END };

/// A line on standard input and output. Nil without memory.
/// The key bindings in ~/.editrc are in force.
cedit *_Nullable cedit_open(int remembered, cedit_complete _Nonnull complete, void *_Nullable context);
void cedit_close(cedit *_Nonnull line);

/// Shows the prompt and an empty line, and takes the terminal's keys one by one.
void cedit_begin(cedit *_Nonnull line, const char *_Nonnull prompt);
/// Reads a key and acts on it. Waits if standard input has none.
int cedit_read(cedit *_Nonnull line);
/// Restores the terminal's mode.
void cedit_finish(cedit *_Nonnull line);
/// Adds an entry to the history of the arrow keys.
void cedit_remember(cedit *_Nonnull line, const char *_Nonnull entry);

/// The typed text in UTF-8, its length, and the number of bytes in front of the cursor. Valid until the next call.
const char *_Nonnull cedit_text(cedit *_Nonnull line, size_t *_Nonnull length, size_t *_Nonnull cursor);
/// Puts a text in front of the cursor.
void cedit_insert(cedit *_Nonnull line, const char *_Nonnull text);
