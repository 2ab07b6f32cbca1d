#pragma once

// libjose, and libcrypto behind it, loaded when the first key, signature or hash is needed.
//
// Why not linked: loading libcrypto and registering libjose's algorithms takes 2.2 ms, and most runs sign nothing.

#if !__has_include(<jose/jose.h>)
#error "libjose's header is missing; install the package libjose-dev"
#endif
#include <jose/jose.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable cjose_load(void);

jose_cfg_t *_Nullable cjose_cfg(void);
void cjose_cfg_decref(jose_cfg_t *_Nonnull cfg);
void cjose_cfg_set_err_func(jose_cfg_t *_Nonnull cfg, jose_cfg_err_t *_Nonnull report, void *_Nullable context);

bool cjose_jwk_gen(jose_cfg_t *_Nonnull cfg, json_t *_Nonnull jwk);
bool cjose_jwk_pub(jose_cfg_t *_Nonnull cfg, json_t *_Nonnull jwk);
json_t *_Nullable cjose_jwk_thp(jose_cfg_t *_Nonnull cfg, const json_t *_Nonnull jwk, const char *_Nonnull hash);

bool cjose_jws_sig(
    jose_cfg_t *_Nonnull cfg, json_t *_Nonnull jws, json_t *_Nullable signature, const json_t *_Nonnull jwk);
bool cjose_jws_ver(
    jose_cfg_t *_Nonnull cfg, const json_t *_Nonnull jws, const json_t *_Nullable signature, const json_t *_Nonnull jwk,
    bool all);

bool cjose_jwe_enc_cek(
    jose_cfg_t *_Nonnull cfg, json_t *_Nonnull jwe, const json_t *_Nonnull key, const void *_Nonnull plain, size_t size);
/// The plain text, to be freed by the caller.
void *_Nullable cjose_jwe_dec_cek(
    jose_cfg_t *_Nonnull cfg, const json_t *_Nonnull jwe, const json_t *_Nonnull key, size_t *_Nonnull size);

unsigned char *_Nullable cjose_sha256(const unsigned char *_Nullable bytes, size_t size, unsigned char *_Nonnull digest);
unsigned char *_Nullable cjose_sha384(const unsigned char *_Nullable bytes, size_t size, unsigned char *_Nonnull digest);
unsigned char *_Nullable cjose_sha512(const unsigned char *_Nullable bytes, size_t size, unsigned char *_Nonnull digest);

/// Writes 20 bytes. Returns false if libcrypto refuses.
bool cjose_hmac_sha1(
    const unsigned char *_Nullable key, size_t key_size, const unsigned char *_Nullable message, size_t size,
    unsigned char *_Nonnull digest);

/// True if the point with these big-endian coordinates of `size` bytes each is on the curve: `P-256`, `P-384` or `P-521`.
bool cjose_is_on_curve(
    const char *_Nonnull curve, const unsigned char *_Nonnull x, const unsigned char *_Nonnull y, size_t size);

/// Empties the calling thread's queue of libcrypto errors.
void cjose_clear_errors(void);
