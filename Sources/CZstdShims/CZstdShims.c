#include "CZstdShims.h"

#define LAZY_LIBRARY zstd
#define LAZY_LOAD czstd_load
#define LAZY_FILES "libzstd.so.1"
#define LAZY_PREFIX ZSTD_
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(isError) X(getErrorName) X(getErrorCode) X(createDStream) X(decompressStream) X(freeDStream) X(createCStream)      \
  X(CCtx_setParameter) X(compressStream2) X(freeCStream)
#include "lazy_library.h"

bool czstd_is_error(size_t result) { return zstd.isError(result) != 0; }
const char *czstd_error_name(size_t result) { return zstd.getErrorName(result); }
bool czstd_is_unknown_prefix(size_t result) { return zstd.getErrorCode(result) == ZSTD_error_prefix_unknown; }
bool czstd_is_window_too_large(size_t result) {
  return zstd.getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge;
}

ZSTD_DStream *czstd_decompress_start(void) { return zstd.createDStream(); }
size_t czstd_decompress(ZSTD_DStream *stream, ZSTD_outBuffer *output, ZSTD_inBuffer *input) {
  return zstd.decompressStream(stream, output, input);
}
void czstd_decompress_end(ZSTD_DStream *stream) { zstd.freeDStream(stream); }

ZSTD_CStream *czstd_compress_start(void) {
  ZSTD_CStream *stream = zstd.createCStream();
  if (stream && zstd.isError(zstd.CCtx_setParameter(stream, ZSTD_c_checksumFlag, 1))) {
    zstd.freeCStream(stream);
    return NULL;
  }
  return stream;
}
size_t czstd_compress(ZSTD_CStream *stream, ZSTD_outBuffer *output, ZSTD_inBuffer *input, bool finish) {
  return zstd.compressStream2(stream, output, input, finish ? ZSTD_e_end : ZSTD_e_continue);
}
void czstd_compress_end(ZSTD_CStream *stream) { zstd.freeCStream(stream); }
