#pragma once

// zlib, loaded when the first gzip data is read or written.
//
// Why not linked: few runs read or write gzip data.

#if !__has_include(<zlib.h>)
#error "zlib's header is missing; install the package zlib1g-dev"
#endif
#include <zlib.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable czlib_load(void);

/// Makes a zeroed stream ready to read gzip data (RFC 1952). `inflateInit2` is a macro.
int czlib_inflate_start(z_streamp _Nonnull stream);
int czlib_inflate(z_streamp _Nonnull stream);
/// For the next member of the same data.
int czlib_inflate_again(z_streamp _Nonnull stream);
void czlib_inflate_end(z_streamp _Nonnull stream);

/// Makes a zeroed stream ready to write gzip data. `deflateInit2` is a macro.
int czlib_deflate_start(z_streamp _Nonnull stream);
/// - Parameter finish: true if there is no more input.
int czlib_deflate(z_streamp _Nonnull stream, int finish);
void czlib_deflate_end(z_streamp _Nonnull stream);
