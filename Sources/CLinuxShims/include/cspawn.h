#pragma once

// Starting a program that outlives this one, or has a window of its own.
//
// Why C: what `posix_spawn` needs for it, a new session and closing all descriptors, glibc declares with _GNU_SOURCE
// only, without which Swift imports it.

/// Starts the program at `path` without a shell: in a session of its own, so that Ctrl-C here does not end it there, with
/// standard input, output and error at /dev/null, no other descriptor open, no signal blocked, and none ignored. `input`
/// takes the place of standard input, unless it is negative. Both lists end with NULL. The result is 0, or the errno that says why it was not started.
int cspawn_detached(
    int *_Nonnull process, const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, int input);
