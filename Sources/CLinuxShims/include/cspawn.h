#pragma once

// The start of a program that outlives this one or has a window.
//
// Why in C: it needs a new session and closes all descriptors. glibc declares both only with _GNU_SOURCE, and Swift imports
// glibc without it.

/// Starts the program at `path` without a shell, in a session of its own: Ctrl-C here does not end it. Its standard input,
/// output and error are /dev/null. It has no other descriptors, and no signal is blocked or ignored. An `input` that is not
/// negative becomes its standard input. Both lists end with NULL. Returns 0, or the errno of the failure.
int cspawn_detached(
    int *_Nonnull process, const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, int input);
