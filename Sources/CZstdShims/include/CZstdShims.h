#pragma once

// libzstd, loaded when the first zstd data is read or written.
//
// Why not linked: few runs read or write zstd data.

#if !__has_include(<zstd.h>)
#error "libzstd's header is missing; install the package libzstd-dev"
#endif
#include <stdbool.h>
#include <stddef.h>
#include <zstd.h>
#include <zstd_errors.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable czstd_load(void);

bool czstd_is_error(size_t result);
/// libzstd's message, such as "Restored data doesn't match checksum".
const char *_Nonnull czstd_error_name(size_t result);
bool czstd_is_unknown_prefix(size_t result);
bool czstd_is_window_too_large(size_t result);

ZSTD_DStream *_Nullable czstd_decompress_start(void);
size_t czstd_decompress(ZSTD_DStream *_Nonnull stream, ZSTD_outBuffer *_Nonnull output, ZSTD_inBuffer *_Nonnull input);
void czstd_decompress_end(ZSTD_DStream *_Nonnull stream);

/// A stream with the library's default level and a checksum at the end, so that damage is noticed.
ZSTD_CStream *_Nullable czstd_compress_start(void);
/// - Parameter finish: true if there is no more input. The result is zero when all output has been written.
size_t czstd_compress(
    ZSTD_CStream *_Nonnull stream, ZSTD_outBuffer *_Nonnull output, ZSTD_inBuffer *_Nonnull input, bool finish);
void czstd_compress_end(ZSTD_CStream *_Nonnull stream);
