#include "CQRencodeShims.h"

#define LAZY_LIBRARY library
#define LAZY_LOAD cqrencode_load
#define LAZY_FILES "libqrencode.so.4"
#define LAZY_PREFIX QRcode_
#define LAZY_FUNCTIONS(X) X(encodeString8bit) X(free)
#include "lazy_library.h"

QRcode *cqrencode_encode(const char *text) { return library.encodeString8bit(text, 0, QR_ECLEVEL_L); }
void cqrencode_free(QRcode *code) { library.free(code); }
