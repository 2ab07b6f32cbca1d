#pragma once

// libarchive, loaded when the first archive is read: zip archives, and files packed with bzip2 or xz.
//
// Why not linked: few runs read an archive. Why C: libarchive asks for the bytes of a file by callbacks, which may be called
// while another of its calls runs.

#if !__has_include(<archive.h>)
#error "libarchive's header is missing; install the package libarchive-dev"
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable carchive_load(void);

/// An open archive.
typedef struct carchive carchive;

/// Opens the archive in the `size` bytes of a file from `start` on. The file is read by offset, so that its own position does
/// not move; its descriptor stays open as long as the archive. Nil if there is no memory. An archive that cannot be
/// opened has an error.
/// - Parameter is_packed: true for a single file packed with bzip2 or xz, false for a zip archive.
carchive *_Nullable carchive_open(int descriptor, int64_t start, int64_t size, bool is_packed);
void carchive_close(carchive *_Nonnull archive);

/// The message of the last failed call; nil without one.
const char *_Nullable carchive_error(carchive *_Nonnull archive);

/// Moves to the next entry. Returns 1, 0 at the end, or -1 for an error.
int carchive_next(carchive *_Nonnull archive);

/// The name of the entry: UTF-8 if the archive says its encoding, else its bytes. Nil if it has none.
const char *_Nullable carchive_name(carchive *_Nonnull archive);
/// The size of the entry when it is unpacked; -1 if it is not known.
int64_t carchive_size(carchive *_Nonnull archive);
bool carchive_is_file(carchive *_Nonnull archive);
bool carchive_is_encrypted(carchive *_Nonnull archive);

/// The bytes of the archive that were read so far, for progress.
int64_t carchive_position(carchive *_Nonnull archive);

/// Reads the next bytes of the entry. Returns their number, 0 at its end, or -1 for an error.
ssize_t carchive_read(carchive *_Nonnull archive, void *_Nonnull target, size_t size);
