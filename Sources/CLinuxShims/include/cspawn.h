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

/// The start of a child process that this one waits for.
///
/// Starts the program at `path` in the folder `folder`, in a session of its own. Its standard input is /dev/null, `output` its
/// standard output and error, `channel` its descriptor 3, and `context` its descriptor 4, if it is not negative. It has no other
/// descriptors, and no signal is blocked or ignored. If `output` is negative, it has the input, output, error and session of
/// this process. `handle` gets a descriptor of the process: pidfd_open(2). Returns 0, or the
/// errno of the failure.
int cspawn_child(
    int *_Nonnull process, int *_Nonnull handle, const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, const char *_Nonnull folder, int output, int channel, int context);

/// A descriptor of the process with this number: pidfd_open(2). -1 and errno on failure.
int cspawn_handle(int process);

/// Waits for the end of a child, which is known by its descriptor. `status` gets the exit status, or the number of the signal as a
/// negative number. Returns 0, or -1 and errno.
int cspawn_wait(int handle, int *_Nonnull status);

/// A file in memory with a descriptor: memfd_create(2). -1 and errno on failure.
int cspawn_memory(void);
