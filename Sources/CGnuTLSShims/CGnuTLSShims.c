#include "CGnuTLSShims.h"

#include <stdlib.h>
#include <string.h>

#define LAZY_LIBRARY tls
#define LAZY_LOAD cgnutls_load
#define LAZY_FILES "libgnutls.so.30"
#define LAZY_PREFIX gnutls_
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(strerror) X(rnd) X(sec_param_to_pk_bits) X(x509_privkey_init) X(x509_privkey_deinit) X(x509_privkey_generate)      \
  X(x509_privkey_export2_pkcs8) X(x509_crt_init) X(x509_crt_deinit) X(x509_crt_sign2) X(x509_crt_export2)              \
  X(x509_crt_set_version) X(x509_crt_set_serial) X(x509_crt_set_activation_time) X(x509_crt_set_expiration_time)       \
  X(x509_crt_set_dn_by_oid) X(x509_crt_set_key) X(x509_crt_set_basic_constraints) X(x509_crt_set_key_usage)            \
  X(x509_crt_set_key_purpose_oid) X(x509_crt_set_subject_alt_name) X(x509_crt_get_key_id)                              \
  X(x509_crt_set_subject_key_id) X(x509_crt_set_authority_key_id)                                                      \
  X(certificate_get_peers) X(certificate_verify_peers2) X(x509_crt_import) X(x509_crt_get_dn3)                         \
  X(x509_crt_get_activation_time) X(x509_crt_get_expiration_time)
#include "lazy_library.h"

bool cgnutls_peer(gnutls_session_t session, cgnutls_certificate *peer) {
  unsigned count = 0, problems = 0;
  const gnutls_datum_t *chain = tls.certificate_get_peers(session, &count);
  gnutls_x509_crt_t certificate = NULL;
  if (!chain || !count || tls.x509_crt_init(&certificate) < 0) return false;
  gnutls_datum_t name = {0};
  bool is_read = tls.x509_crt_import(certificate, chain, GNUTLS_X509_FMT_DER) == 0 &&
                 tls.x509_crt_get_dn3(certificate, &name, 0) == 0 && name.size < sizeof peer->subject;
  if (is_read) memcpy(peer->subject, name.data, name.size + 1);
  free(name.data);
  peer->bytes = chain->data;
  peer->size = chain->size;
  peer->not_before = is_read ? tls.x509_crt_get_activation_time(certificate) : 0;
  peer->not_after = is_read ? tls.x509_crt_get_expiration_time(certificate) : 0;
  peer->is_trusted = is_read && tls.certificate_verify_peers2(session, &problems) == 0 && !problems;
  tls.x509_crt_deinit(certificate);
  return is_read;
}

const char *cgnutls_strerror(int error) { return tls.strerror(error); }
int cgnutls_rnd(gnutls_rnd_level_t level, void *bytes, size_t size) { return tls.rnd(level, bytes, size); }
unsigned cgnutls_sec_param_to_pk_bits(gnutls_pk_algorithm_t algorithm, gnutls_sec_param_t parameter) {
  return tls.sec_param_to_pk_bits(algorithm, parameter);
}

int cgnutls_x509_privkey_init(gnutls_x509_privkey_t *key) { return tls.x509_privkey_init(key); }
void cgnutls_x509_privkey_deinit(gnutls_x509_privkey_t key) { tls.x509_privkey_deinit(key); }
int cgnutls_x509_privkey_generate(
    gnutls_x509_privkey_t key, gnutls_pk_algorithm_t algorithm, unsigned bits, unsigned flags) {
  return tls.x509_privkey_generate(key, algorithm, bits, flags);
}
int cgnutls_x509_privkey_export2_pkcs8(
    gnutls_x509_privkey_t key, gnutls_x509_crt_fmt_t format, const char *password, unsigned flags,
    gnutls_datum_t *out) {
  return tls.x509_privkey_export2_pkcs8(key, format, password, flags, out);
}

int cgnutls_x509_crt_init(gnutls_x509_crt_t *crt) { return tls.x509_crt_init(crt); }
void cgnutls_x509_crt_deinit(gnutls_x509_crt_t crt) { tls.x509_crt_deinit(crt); }
int cgnutls_x509_crt_sign2(
    gnutls_x509_crt_t crt, gnutls_x509_crt_t issuer, gnutls_x509_privkey_t key, gnutls_digest_algorithm_t digest,
    unsigned flags) {
  return tls.x509_crt_sign2(crt, issuer, key, digest, flags);
}
int cgnutls_x509_crt_export2(gnutls_x509_crt_t crt, gnutls_x509_crt_fmt_t format, gnutls_datum_t *out) {
  return tls.x509_crt_export2(crt, format, out);
}
int cgnutls_x509_crt_set_version(gnutls_x509_crt_t crt, unsigned version) {
  return tls.x509_crt_set_version(crt, version);
}
int cgnutls_x509_crt_set_serial(gnutls_x509_crt_t crt, const void *serial, size_t size) {
  return tls.x509_crt_set_serial(crt, serial, size);
}
int cgnutls_x509_crt_set_activation_time(gnutls_x509_crt_t crt, time_t time) {
  return tls.x509_crt_set_activation_time(crt, time);
}
int cgnutls_x509_crt_set_expiration_time(gnutls_x509_crt_t crt, time_t time) {
  return tls.x509_crt_set_expiration_time(crt, time);
}
int cgnutls_x509_crt_set_dn_by_oid(
    gnutls_x509_crt_t crt, const char *oid, unsigned raw, const void *name, unsigned size) {
  return tls.x509_crt_set_dn_by_oid(crt, oid, raw, name, size);
}
int cgnutls_x509_crt_set_key(gnutls_x509_crt_t crt, gnutls_x509_privkey_t key) {
  return tls.x509_crt_set_key(crt, key);
}
int cgnutls_x509_crt_set_basic_constraints(gnutls_x509_crt_t crt, unsigned is_authority, int path_length) {
  return tls.x509_crt_set_basic_constraints(crt, is_authority, path_length);
}
int cgnutls_x509_crt_set_key_usage(gnutls_x509_crt_t crt, unsigned usage) {
  return tls.x509_crt_set_key_usage(crt, usage);
}
int cgnutls_x509_crt_set_key_purpose_oid(gnutls_x509_crt_t crt, const char *oid, unsigned critical) {
  return tls.x509_crt_set_key_purpose_oid(crt, oid, critical);
}
int cgnutls_x509_crt_set_subject_alt_name(
    gnutls_x509_crt_t crt, gnutls_x509_subject_alt_name_t type, const void *name, unsigned size, unsigned flags) {
  return tls.x509_crt_set_subject_alt_name(crt, type, name, size, flags);
}
int cgnutls_x509_crt_get_key_id(gnutls_x509_crt_t crt, unsigned flags, unsigned char *identifier, size_t *size) {
  return tls.x509_crt_get_key_id(crt, flags, identifier, size);
}
int cgnutls_x509_crt_set_subject_key_id(gnutls_x509_crt_t crt, const void *identifier, size_t size) {
  return tls.x509_crt_set_subject_key_id(crt, identifier, size);
}
int cgnutls_x509_crt_set_authority_key_id(gnutls_x509_crt_t crt, const void *identifier, size_t size) {
  return tls.x509_crt_set_authority_key_id(crt, identifier, size);
}
