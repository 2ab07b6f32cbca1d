#include "CZlibShims.h"

#include <dlfcn.h>
#include <pthread.h>

#define FUNCTIONS(X) X(inflateInit2_) X(inflate) X(inflateReset) X(inflateEnd) X(deflateInit2_) X(deflate) X(deflateEnd)

// The types come from zlib's header, so that a changed signature does not compile.
static struct {
#define MEMBER(name) __typeof__(&name) name;
  FUNCTIONS(MEMBER)
} zlib;

static const char *failure;

static void load(void) {
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    failure = dlerror();
    return;
  }
#define LOOK_UP(name)                                                                                                  \
  if (!(zlib.name = (__typeof__(&name))dlsym(library, #name))) {                                                       \
    failure = dlerror();                                                                                               \
    return;                                                                                                            \
  }
  FUNCTIONS(LOOK_UP)
}

const char *czlib_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure;
}

// 16 above the window's size: gzip's header and checksum, not zlib's own.
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
