#pragma once

// The hashes of libcrypto, loaded when the first hash is needed. libcrypto comes with libjose: one package has both.
//
// Why not linked: most runs hash nothing, and loading libcrypto takes longer than an empty script.

#include <stdbool.h>
#include <stddef.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable ccrypto_load(void);

/// Writes the digest. `name` is libcrypto's: `SHA256`.
bool ccrypto_digest(
    const char *_Nonnull name, const void *_Nullable bytes, size_t size, unsigned char *_Nonnull digest);

/// Writes the HMAC with the hash of that name, `SHA256`. Returns false if libcrypto refuses.
bool ccrypto_hmac(
    const char *_Nonnull name, const unsigned char *_Nullable key, size_t key_size,
    const unsigned char *_Nullable message, size_t size, unsigned char *_Nonnull digest, size_t digest_size);

/// Begins a hash of bytes that come piece by piece. Returns nil if libcrypto refuses.
struct evp_md_ctx_st *_Nullable ccrypto_hash_begin(const char *_Nonnull name);
bool ccrypto_hash_add(struct evp_md_ctx_st *_Nonnull hash, const void *_Nullable bytes, size_t size);
/// Writes the digest. Nothing can be added any more.
bool ccrypto_hash_end(struct evp_md_ctx_st *_Nonnull hash, unsigned char *_Nonnull digest);
void ccrypto_hash_free(struct evp_md_ctx_st *_Nonnull hash);
