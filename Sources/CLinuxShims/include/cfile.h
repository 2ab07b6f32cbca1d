#pragma once

#include <stdbool.h>

/// Opens a folder to go on from, also one whose names may not be read: openat(2), O_PATH. -1 and errno when there is none.
///
/// Why in C: Swift's module of the C library leaves O_PATH out.
///
/// - `folder`: what `name` is relative to; -1 for the current one.
/// - `follows`: whether a link at the end is followed.
int cfile_open_folder(int folder, const char *_Nonnull name, bool follows);

/// openat(2) with a mode, which Swift's module of the C library has without `O_CREAT` in mind. -1 and errno when it fails.
int cfile_open_at(int folder, const char *_Nonnull name, int flags, unsigned mode);

/// Opens `path`, which is absolute, and follows no link on the way or at its end: openat2(2), RESOLVE_NO_SYMLINKS. -1 and errno
/// when it fails; ENOSYS or EPERM where the kernel or a sandbox does not know the call.
///
/// Why in C: the C library has no function for the call.
int cfile_open_exact(const char *_Nonnull path, int flags, unsigned mode);
