#include "CJoseShims.h"

#define LAZY_LIBRARY jose
#define LAZY_LOAD cjose_load
#define LAZY_FILES "libjose.so.0"
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(jose_cfg) X(jose_cfg_decref) X(jose_cfg_set_err_func) X(jose_jwe_hdr) X(jose_jwe_enc_jwk) X(jose_jwe_enc_cek)      \
  X(jose_jwe_dec_jwk) X(jose_jwe_dec_cek)
#define LAZY_READY load_crypto
#include "lazy_library.h"

const char *cjose_load_crypto(void);
static const char *load_crypto(void) { return cjose_load_crypto(); }

jose_cfg_t *cjose_cfg(void) { return jose.jose_cfg(); }
void cjose_cfg_decref(jose_cfg_t *cfg) { jose.jose_cfg_decref(cfg); }
void cjose_cfg_set_err_func(jose_cfg_t *cfg, jose_cfg_err_t *report, void *context) {
  jose.jose_cfg_set_err_func(cfg, report, context);
}

json_t *cjose_jwe_hdr(const json_t *jwe, const json_t *recipient) { return jose.jose_jwe_hdr(jwe, recipient); }
bool cjose_jwe_enc_jwk(jose_cfg_t *cfg, json_t *jwe, json_t *recipient, const json_t *jwk, json_t *content_key) {
  return jose.jose_jwe_enc_jwk(cfg, jwe, recipient, jwk, content_key);
}
bool cjose_jwe_enc_cek(jose_cfg_t *cfg, json_t *jwe, const json_t *key, const void *plain, size_t size) {
  return jose.jose_jwe_enc_cek(cfg, jwe, key, plain, size);
}
json_t *cjose_jwe_dec_jwk(jose_cfg_t *cfg, const json_t *jwe, const json_t *jwk) {
  return jose.jose_jwe_dec_jwk(cfg, jwe, NULL, jwk);
}
void *cjose_jwe_dec_cek(jose_cfg_t *cfg, const json_t *jwe, const json_t *key, size_t *size) {
  return jose.jose_jwe_dec_cek(cfg, jwe, key, size);
}
