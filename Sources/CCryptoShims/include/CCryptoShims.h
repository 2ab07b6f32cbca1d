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
