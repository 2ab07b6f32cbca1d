#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// C's standard streams, which Lua's print and io.write use, too: one buffer, so that the order of all output stays.
//
// Why in C: the standard streams are global variables of C, and their functions get a cookie.

/// Reading and writing the streams ends early while `condition` is true. It is async-signal-safe.
void coutput_gives_up_when(bool (*_Nonnull condition)(void));

/// Replaces C's standard streams by streams that wait where another process has made a descriptor non-blocking. If standard
/// output is a terminal, each write to it calls `before` first. Call this function before Lua's libraries are opened, because
/// they keep the streams. Lua's print and io.write use C's streams, so only a replaced stream can notice each write.
void coutput_open_standard_streams(void (*_Nonnull before)(void));

/// Keeps all later output to stdout, up to `limit` bytes, instead of writing it; this includes Lua states made later.
/// Captures can be nested. Returns false if there is no room for another capture.
bool coutput_capture(size_t limit);
/// Ends the last capture. Returns the captured output, which the caller frees; NULL without memory.
char *_Nullable coutput_captured(size_t *_Nonnull length);

/// Holds back the output to a terminal, or writes the output that was held back.
void coutput_hold_screen(bool is_to_hold);

/// Returns true if the output of stdout on the screen so far ends with a whole line.
bool coutput_is_at_line_start(void);

/// Has stdout written at the end of each line.
void coutput_flush_lines(void);

/// Calls fwrite with C's stdout, because Swift cannot use that global variable.
void coutput_write(const void *_Nullable bytes, size_t count);
/// Calls fflush. Returns 0 if all output was written, or an errno value.
int coutput_flush(void);
/// The same, if no other thread is writing.
void coutput_try_flush(void);
/// Makes writes to closed pipes fail instead of ending the process. If stdout has lost its reader, the process gets the
/// signal `number`.
void coutput_signal_closed(int number);

/// A stream of a pipe, whose mode other processes may change. It closes the descriptor.
FILE *_Nullable coutput_pipe(int descriptor, const char *_Nonnull mode);
/// fileno, which also knows the standard streams.
int coutput_descriptor(FILE *_Nonnull stream);
