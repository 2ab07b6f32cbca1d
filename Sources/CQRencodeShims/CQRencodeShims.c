#include "CQRencodeShims.h"

#include <dlfcn.h>
#include <pthread.h>

// The types come from the library's header, so that a changed signature does not compile.
static __typeof__(&QRcode_encodeString8bit) encode;
static __typeof__(&QRcode_free) release;
static const char *failure;

static void load(void) {
  void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library || !(encode = (__typeof__(encode))dlsym(library, "QRcode_encodeString8bit")) ||
      !(release = (__typeof__(release))dlsym(library, "QRcode_free")))
    failure = dlerror();
}

const char *cqrencode_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure;
}

QRcode *cqrencode_encode(const char *text) { return encode(text, 0, QR_ECLEVEL_L); }
void cqrencode_free(QRcode *code) { release(code); }
