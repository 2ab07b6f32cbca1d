#pragma once

// GnuTLS, loaded when the first certificate is made.
//
// Why not linked: few runs make a certificate, but all would load GnuTLS with its nine libraries. Every function here but the
// first is the function of GnuTLS with the same name without the `c`.

#if !__has_include(<gnutls/gnutls.h>)
#error "GnuTLS's headers are missing; install the package libgnutls28-dev"
#endif
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdbool.h>

/// The certificate that the other side showed. The bytes, in DER, belong to the session.
typedef struct {
  const unsigned char *_Nullable bytes;
  size_t size;
  /// RFC 4514.
  char subject[1024];
  time_t not_before, not_after;
  /// True if an authority that the session trusts issued it.
  bool is_trusted;
} cgnutls_certificate;

/// Reads the certificate of the other side; false if it showed none.
bool cgnutls_peer(gnutls_session_t _Nonnull session, cgnutls_certificate *_Nonnull peer);

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable cgnutls_load(void);

const char *_Nonnull cgnutls_strerror(int error);
int cgnutls_rnd(gnutls_rnd_level_t level, void *_Nullable bytes, size_t size);
unsigned cgnutls_sec_param_to_pk_bits(gnutls_pk_algorithm_t algorithm, gnutls_sec_param_t parameter);

int cgnutls_x509_privkey_init(gnutls_x509_privkey_t _Nullable *_Nonnull key);
void cgnutls_x509_privkey_deinit(gnutls_x509_privkey_t _Nullable key);
int cgnutls_x509_privkey_generate(
    gnutls_x509_privkey_t _Nullable key, gnutls_pk_algorithm_t algorithm, unsigned bits, unsigned flags);
/// The caller frees the output of this function and of the next one.
int cgnutls_x509_privkey_export2_pkcs8(
    gnutls_x509_privkey_t _Nullable key, gnutls_x509_crt_fmt_t format, const char *_Nullable password, unsigned flags,
    gnutls_datum_t *_Nonnull out);
int cgnutls_x509_crt_export2(
    gnutls_x509_crt_t _Nullable crt, gnutls_x509_crt_fmt_t format, gnutls_datum_t *_Nonnull out);

int cgnutls_x509_crt_init(gnutls_x509_crt_t _Nullable *_Nonnull crt);
void cgnutls_x509_crt_deinit(gnutls_x509_crt_t _Nullable crt);
int cgnutls_x509_crt_sign2(
    gnutls_x509_crt_t _Nullable crt, gnutls_x509_crt_t _Nullable issuer, gnutls_x509_privkey_t _Nullable key,
    gnutls_digest_algorithm_t digest, unsigned flags);
int cgnutls_x509_crt_set_version(gnutls_x509_crt_t _Nullable crt, unsigned version);
int cgnutls_x509_crt_set_serial(gnutls_x509_crt_t _Nullable crt, const void *_Nonnull serial, size_t size);
int cgnutls_x509_crt_set_activation_time(gnutls_x509_crt_t _Nullable crt, time_t time);
int cgnutls_x509_crt_set_expiration_time(gnutls_x509_crt_t _Nullable crt, time_t time);
int cgnutls_x509_crt_set_dn_by_oid(
    gnutls_x509_crt_t _Nullable crt, const char *_Nonnull oid, unsigned raw, const void *_Nonnull name, unsigned size);
int cgnutls_x509_crt_set_key(gnutls_x509_crt_t _Nullable crt, gnutls_x509_privkey_t _Nullable key);
int cgnutls_x509_crt_set_basic_constraints(gnutls_x509_crt_t _Nullable crt, unsigned is_authority, int path_length);
int cgnutls_x509_crt_set_key_usage(gnutls_x509_crt_t _Nullable crt, unsigned usage);
int cgnutls_x509_crt_set_key_purpose_oid(gnutls_x509_crt_t _Nullable crt, const char *_Nonnull oid, unsigned critical);
int cgnutls_x509_crt_set_subject_alt_name(
    gnutls_x509_crt_t _Nullable crt, gnutls_x509_subject_alt_name_t type, const void *_Nonnull name, unsigned size,
    unsigned flags);
int cgnutls_x509_crt_get_key_id(
    gnutls_x509_crt_t _Nullable crt, unsigned flags, unsigned char *_Nonnull identifier, size_t *_Nonnull size);
int cgnutls_x509_crt_set_subject_key_id(gnutls_x509_crt_t _Nullable crt, const void *_Nonnull identifier, size_t size);
int cgnutls_x509_crt_set_authority_key_id(
    gnutls_x509_crt_t _Nullable crt, const void *_Nonnull identifier, size_t size);
