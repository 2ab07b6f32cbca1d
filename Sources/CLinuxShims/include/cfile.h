#pragma once

#include <stdbool.h>

/// Opens a folder as the start of further paths, even if its names may not be read: openat(2), O_PATH. Returns -1 and errno on
/// failure.
///
/// Why in C: Swift's module of the C library leaves O_PATH out.
///
/// - `folder`: the folder where `name` begins; -1 for the current one.
/// - `follows`: true to follow a link at the end.
int cfile_open_folder(int folder, const char *_Nonnull name, bool follows);

/// openat(2) with a mode: Swift's module of the C library has no mode. Returns -1 and errno on failure.
int cfile_open_at(int folder, const char *_Nonnull name, int flags, unsigned mode);

/// Opens the absolute `path` and follows no link: openat2(2), RESOLVE_NO_SYMLINKS. Returns -1 and errno on failure; ENOSYS or
/// EPERM if the kernel or a sandbox does not know the call.
///
/// Why in C: the C library has no function for the call.
int cfile_open_exact(const char *_Nonnull path, int flags, unsigned mode);

/// True for a file of a file system whose files are interfaces of the kernel, such as proc and sysfs, wherever it is mounted;
/// and for a device other than /dev/null. fstatfs(2), fstat(2). Also true if the system does not tell.
///
/// Why in C: Swift's module of the C library leaves out fstatfs and the numbers of the file systems.
bool cfile_is_of_system(int descriptor);

/// Makes a file in memory that has no name. Returns its descriptor, or -1 and errno.
int cfile_make_memory(void);
