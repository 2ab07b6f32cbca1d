#pragma once

// libzstd, loaded when the first zstd data is read or written.
//
// Why not linked: few runs have any, and would load it at every start.

#if !__has_include(<zstd.h>)
#error "libzstd's header is missing; install the package libzstd-dev"
#endif
#include <stdbool.h>
#include <stddef.h>
#include <zstd.h>
#include <zstd_errors.h>

/// Loads it, once and from any thread. Nil when it is there, else what the dynamic loader says. Every other function
/// here is called after this one returned nil.
const char *_Nullable czstd_load(void);

bool czstd_is_error(size_t result);
/// A few words of libzstd's, such as "Restored data doesn't match checksum".
const char *_Nonnull czstd_error_name(size_t result);
bool czstd_is_unknown_prefix(size_t result);
bool czstd_is_window_too_large(size_t result);

ZSTD_DStream *_Nullable czstd_decompress_start(void);
size_t czstd_decompress(ZSTD_DStream *_Nonnull stream, ZSTD_outBuffer *_Nonnull output, ZSTD_inBuffer *_Nonnull input);
void czstd_decompress_end(ZSTD_DStream *_Nonnull stream);

/// Of the library's usual level, with a checksum at the end, so that damage is noticed.
ZSTD_CStream *_Nullable czstd_compress_start(void);
/// - Parameter finish: there is no more input. Zero when all output has been given.
size_t czstd_compress(
    ZSTD_CStream *_Nonnull stream, ZSTD_outBuffer *_Nonnull output, ZSTD_inBuffer *_Nonnull input, bool finish);
void czstd_compress_end(ZSTD_CStream *_Nonnull stream);
