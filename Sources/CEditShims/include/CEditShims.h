#pragma once

// libedit, loaded when somebody is there to type.
//
// Why not linked: nothing but the session on a terminal needs it. Why C: its functions take any number of arguments.

#if !__has_include(<histedit.h>)
#error "libedit's header is missing; install the package libedit-dev"
#endif
#include <stdbool.h>
#include <stddef.h>

/// Loads it, once and from any thread. Nil when it is there, else what the dynamic loader says.
const char *_Nullable cedit_load(void);

/// A line that a person edits on the terminal. Everything about it is done on one thread.
typedef struct cedit cedit;

/// Completes what stands in front of the cursor: looks with `cedit_text`, changes with `cedit_insert`. Returns whether it has
/// written something below the line, which is then drawn again.
typedef bool (*cedit_complete)(cedit *_Nonnull line, void *_Nullable context);

/// What became of a key.
enum { CEDIT_MORE, CEDIT_LINE, CEDIT_END };

/// A line on standard input and output. To be called after `cedit_load` returned nil. Nil when there is no memory.
/// The keys that the person has chosen in ~/.editrc hold.
cedit *_Nullable cedit_open(int remembered, cedit_complete _Nonnull complete, void *_Nullable context);
void cedit_close(cedit *_Nonnull line);

/// Shows the prompt and an empty line, and takes the terminal's keys one by one.
void cedit_begin(cedit *_Nonnull line, const char *_Nonnull prompt);
/// Reads a key and acts on it. When standard input has one, else it waits.
int cedit_read(cedit *_Nonnull line);
/// Gives the terminal its own mode back.
void cedit_finish(cedit *_Nonnull line);
/// Puts an entry into what the arrow keys find.
void cedit_remember(cedit *_Nonnull line, const char *_Nonnull entry);

/// What has been typed, in UTF-8, and how much of it is in front of the cursor. Good until the next call.
const char *_Nonnull cedit_text(cedit *_Nonnull line, size_t *_Nonnull length, size_t *_Nonnull cursor);
/// Puts a text in front of the cursor.
void cedit_insert(cedit *_Nonnull line, const char *_Nonnull text);
