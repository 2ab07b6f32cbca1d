#include "CCryptoShims.h"

#include <openssl/evp.h>

// A look-up also searches libcrypto, which libjose needs.
#define LAZY_LIBRARY crypto
#define LAZY_LOAD ccrypto_load
#define LAZY_FILES "libjose.so.0"
#define LAZY_FUNCTIONS(X) X(EVP_Q_digest) X(EVP_Q_mac)
#include "lazy_library.h"

bool ccrypto_digest(const char *name, const void *bytes, size_t size, unsigned char *digest) {
  return crypto.EVP_Q_digest(NULL, name, NULL, bytes, size, digest, NULL) == 1;
}

bool ccrypto_hmac(
    const char *name, const unsigned char *key, size_t key_size, const unsigned char *message, size_t size,
    unsigned char *digest, size_t digest_size) {
  size_t length = 0;
  return crypto.EVP_Q_mac(NULL, "HMAC", NULL, name, NULL, key, key_size, message, size, digest, digest_size, &length) &&
         length == digest_size;
}
