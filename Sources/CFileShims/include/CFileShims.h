#pragma once

#include <stdbool.h>

/// Opens a folder to go on from, also one whose names may not be read: openat(2), O_PATH. -1 and errno when there is none.
///
/// Why in C: Swift's module of the C library leaves O_PATH out.
///
/// - `folder`: what `name` is relative to; -1 for the current one.
/// - `follows`: whether a link at the end is followed.
int cfile_open_folder(int folder, const char *_Nonnull name, bool follows);
