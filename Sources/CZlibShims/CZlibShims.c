#include "CZlibShims.h"

#define LAZY_LIBRARY zlib
#define LAZY_LOAD czlib_load
#define LAZY_FILES "libz.so.1"
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(inflateInit2_) X(inflate) X(inflateReset) X(inflateEnd) X(deflateInit2_) X(deflate) X(deflateEnd)
#include "lazy_library.h"

// 16 added to the window's size stands for gzip's header and checksum instead of zlib's.
static const int window_bits = 16 + MAX_WBITS;

int czlib_inflate_start(z_streamp stream) {
  return zlib.inflateInit2_(stream, window_bits, ZLIB_VERSION, (int)sizeof(z_stream));
}
int czlib_inflate(z_streamp stream) { return zlib.inflate(stream, Z_NO_FLUSH); }
int czlib_inflate_again(z_streamp stream) { return zlib.inflateReset(stream); }
void czlib_inflate_end(z_streamp stream) { zlib.inflateEnd(stream); }

int czlib_deflate_start(z_streamp stream) {
  return zlib.deflateInit2_(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, MAX_MEM_LEVEL - 1,
                            Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int)sizeof(z_stream));
}
int czlib_deflate(z_streamp stream, int finish) { return zlib.deflate(stream, finish ? Z_FINISH : Z_NO_FLUSH); }
void czlib_deflate_end(z_streamp stream) { zlib.deflateEnd(stream); }
