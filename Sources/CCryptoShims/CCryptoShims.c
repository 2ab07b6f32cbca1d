#include "CCryptoShims.h"

#include <openssl/evp.h>

// A look-up also searches libcrypto, which libjose needs.
#define LAZY_LIBRARY crypto
#define LAZY_LOAD ccrypto_load
#define LAZY_FILES "libjose.so.0"
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(EVP_Q_digest) X(EVP_Q_mac) X(EVP_MD_CTX_new) X(EVP_MD_CTX_free) X(EVP_get_digestbyname) X(EVP_DigestInit_ex)       \
  X(EVP_DigestUpdate) X(EVP_DigestFinal_ex)
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

struct evp_md_ctx_st *ccrypto_hash_begin(const char *name) {
  EVP_MD_CTX *hash = crypto.EVP_MD_CTX_new();
  if (hash && crypto.EVP_DigestInit_ex(hash, crypto.EVP_get_digestbyname(name), NULL) == 1) return hash;
  crypto.EVP_MD_CTX_free(hash);
  return NULL;
}

bool ccrypto_hash_add(struct evp_md_ctx_st *hash, const void *bytes, size_t size) {
  return crypto.EVP_DigestUpdate(hash, bytes, size) == 1;
}

bool ccrypto_hash_end(struct evp_md_ctx_st *hash, unsigned char *digest) {
  return crypto.EVP_DigestFinal_ex(hash, digest, NULL) == 1;
}

void ccrypto_hash_free(struct evp_md_ctx_st *hash) { crypto.EVP_MD_CTX_free(hash); }
