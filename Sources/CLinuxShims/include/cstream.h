#pragma once

#include <stdbool.h>
#include <stddef.h>

// The one way to read and write descriptors that other processes share: standard input, output and error, pipes and terminals.
//
// Another process that holds the same pipe may set O_NONBLOCK at any time, for the mode belongs to the open file description.
// read(2) and write(2) then fail with EAGAIN. These functions wait with poll(2) instead.
//
// Why in C: C's standard streams, which Lua uses, are made of the same functions.

/// read(2), which waits for input. Returns -1 and errno on failure. A signal does not end the call, unless `gives_up` returns true.
long cstream_read(int descriptor, void *_Nullable bytes, size_t count, bool (*_Nullable gives_up)(void));

/// write(2), which writes all bytes. Returns the number of written bytes: fewer than `count`, with errno, on failure.
size_t cstream_write(int descriptor, const void *_Nullable bytes, size_t count, bool (*_Nullable gives_up)(void));

/// The errno of the first failed write to standard output (1) or standard error (2); 0 if none failed.
int cstream_problem(int descriptor);

/// Opens missing ones of the descriptors 0, 1 and 2, so that no file gets such a number. Reading and writing them still fails.
void cstream_occupy(void);
