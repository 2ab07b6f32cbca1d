#pragma once

// libjose, and libcrypto behind it, loaded when the first key or signature is needed. libcrypto keeps keys and makes
// signatures; libjose encrypts.
//
// Why not linked: loading libcrypto and registering libjose's algorithms takes 2.2 ms, and most runs sign nothing.

#if !__has_include(<jose/jose.h>)
#error "libjose's header is missing; install the package libjose-dev"
#endif
#include <jose/jose.h>
#include <openssl/types.h>
#include <stdint.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable cjose_load(void);

// Encryption, by libjose.

jose_cfg_t *_Nullable cjose_cfg(void);
void cjose_cfg_decref(jose_cfg_t *_Nonnull cfg);
void cjose_cfg_set_err_func(jose_cfg_t *_Nonnull cfg, jose_cfg_err_t *_Nonnull report, void *_Nullable context);

/// All header members of a recipient. The caller owns the result.
json_t *_Nullable cjose_jwe_hdr(const json_t *_Nonnull jwe, const json_t *_Nonnull recipient);
/// Encrypts the content key, which is made if it is an empty object.
bool cjose_jwe_enc_jwk(
    jose_cfg_t *_Nonnull cfg, json_t *_Nonnull jwe, json_t *_Nonnull recipient, const json_t *_Nonnull jwk,
    json_t *_Nonnull content_key);
bool cjose_jwe_enc_cek(
    jose_cfg_t *_Nonnull cfg, json_t *_Nonnull jwe, const json_t *_Nonnull key, const void *_Nonnull plain, size_t size);
/// The content key. The caller owns the result.
json_t *_Nullable cjose_jwe_dec_jwk(
    jose_cfg_t *_Nonnull cfg, const json_t *_Nonnull jwe, const json_t *_Nonnull jwk);
/// The plain text, to be freed by the caller.
void *_Nullable cjose_jwe_dec_cek(
    jose_cfg_t *_Nonnull cfg, const json_t *_Nonnull jwe, const json_t *_Nonnull key, size_t *_Nonnull size);

/// Empties the calling thread's queue of libcrypto errors.
void cjose_clear_errors(void);

// Keys, by libcrypto. `cjose_key_free` overwrites private numbers.

/// The members of a key, collected before the key is made.
typedef struct cjose_members cjose_members;
cjose_members *_Nullable cjose_members_new(void);
bool cjose_members_add_number(
    cjose_members *_Nonnull members, const char *_Nonnull name, const unsigned char *_Nonnull bytes, size_t size);
/// The curve and the uncompressed point of a key of type `EC`.
bool cjose_members_add_point(
    cjose_members *_Nonnull members, const char *_Nonnull curve, const unsigned char *_Nonnull bytes, size_t size);
/// Makes the key of type `RSA` or `EC`, and frees the members. Returns nil for members that are no key, such as a point
/// that is not on the curve.
EVP_PKEY *_Nullable cjose_members_key(cjose_members *_Nonnull members, const char *_Nonnull type, bool is_private);
/// A key of type `ED25519` or `HMAC`, which consists of bytes only.
EVP_PKEY *_Nullable cjose_raw_key(
    const char *_Nonnull type, const unsigned char *_Nonnull bytes, size_t size, bool is_private);

EVP_PKEY *_Nullable cjose_generate_rsa(size_t bits);
EVP_PKEY *_Nullable cjose_generate_ec(const char *_Nonnull curve);
EVP_PKEY *_Nullable cjose_generate_ed25519(void);

void cjose_key_free(EVP_PKEY *_Nonnull key);
/// True if the public halves are the same.
bool cjose_key_equal(const EVP_PKEY *_Nonnull one, const EVP_PKEY *_Nonnull other);
/// libcrypto's name of the type: `RSA`, `EC`, `ED25519`, `HMAC`, or another one.
const char *_Nullable cjose_key_type(const EVP_PKEY *_Nonnull key);
int cjose_key_bits(const EVP_PKEY *_Nonnull key);
/// Writes libcrypto's name of the curve, such as `prime256v1`.
bool cjose_key_curve(const EVP_PKEY *_Nonnull key, char *_Nonnull name, size_t capacity);
/// Writes a number of the key without leading zeros. Returns its size; 0 if the key has no such number.
size_t cjose_key_number(
    const EVP_PKEY *_Nonnull key, const char *_Nonnull name, unsigned char *_Nonnull bytes, size_t capacity);
/// Writes the bytes of a raw key. `size` is the capacity before and the size afterwards.
bool cjose_key_raw(
    const EVP_PKEY *_Nonnull key, bool is_private, unsigned char *_Nonnull bytes, size_t *_Nonnull size);

/// The first private or public key in a PEM text.
EVP_PKEY *_Nullable cjose_pem_key(
    const void *_Nonnull pem, size_t size, const char *_Nullable passphrase, bool is_private);

/// Writes a private key in PKCS #8, without a passphrase. Returns the size; 0 if libcrypto refuses.
size_t cjose_key_pem(const EVP_PKEY *_Nonnull key, unsigned char *_Nonnull pem, size_t capacity);

/// A certificate. The caller frees the key.
typedef struct {
  unsigned char sha256[32];
  int64_t not_before, not_after;
  EVP_PKEY *_Nullable key;
} cjose_certificate;

/// Reads the first certificate in a PEM text.
bool cjose_pem_certificate(const void *_Nonnull pem, size_t size, cjose_certificate *_Nonnull certificate);

// Signatures, by libcrypto.

/// Writes the signature in the form of RFC 7518, 3. Returns its size; 0 if libcrypto refuses.
/// - digest: libcrypto's name of the hash; nil for Ed25519.
size_t cjose_sign(
    EVP_PKEY *_Nonnull key, const char *_Nullable digest, bool is_pss, const void *_Nullable message, size_t size,
    unsigned char *_Nonnull signature, size_t capacity);
/// A key made ready for many signatures, to be freed; nil if libcrypto refuses. Threads may share it.
EVP_MD_CTX *_Nullable cjose_signer_make(EVP_PKEY *_Nonnull key, const char *_Nullable digest, bool is_pss);
void cjose_signer_free(EVP_MD_CTX *_Nullable signer);
size_t cjose_signer_sign(
    const EVP_MD_CTX *_Nonnull signer, EVP_PKEY *_Nonnull key, const void *_Nullable message, size_t size,
    unsigned char *_Nonnull signature, size_t capacity);
bool cjose_verify(
    EVP_PKEY *_Nonnull key, const char *_Nullable digest, bool is_pss, const void *_Nullable message, size_t size,
    const unsigned char *_Nonnull signature, size_t signature_size);

// Encryption of keys, by libcrypto.

/// Encrypts or decrypts with RSA-OAEP. `digest` is libcrypto's name: `SHA1`. Returns the size; 0 if libcrypto refuses.
/// Debian's libjose is built without it.
size_t cjose_oaep(
    EVP_PKEY *_Nonnull key, const char *_Nonnull digest, bool encrypts, const unsigned char *_Nonnull input, size_t size,
    unsigned char *_Nonnull output, size_t capacity);
