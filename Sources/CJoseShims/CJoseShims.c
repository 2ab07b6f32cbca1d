#include "CJoseShims.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>
#include <string.h>

#define LAZY_LIBRARY jose
#define LAZY_LOAD cjose_load
#define LAZY_FILES "libjose.so.0"
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(jose_cfg) X(jose_cfg_decref) X(jose_cfg_set_err_func) X(jose_jwk_gen) X(jose_jwk_pub) X(jose_jwk_thp)              \
  X(jose_jws_sig) X(jose_jws_ver) X(jose_jwe_enc_cek) X(jose_jwe_dec_cek) X(SHA256) X(SHA384) X(SHA512) X(HMAC)        \
  X(EVP_sha1) X(ERR_clear_error) X(BN_bin2bn) X(BN_free) X(EC_GROUP_new_by_curve_name) X(EC_GROUP_free)                \
  X(EC_POINT_new) X(EC_POINT_free) X(EC_POINT_set_affine_coordinates)
#include "lazy_library.h"

jose_cfg_t *cjose_cfg(void) { return jose.jose_cfg(); }
void cjose_cfg_decref(jose_cfg_t *cfg) { jose.jose_cfg_decref(cfg); }
void cjose_cfg_set_err_func(jose_cfg_t *cfg, jose_cfg_err_t *report, void *context) {
  jose.jose_cfg_set_err_func(cfg, report, context);
}

bool cjose_jwk_gen(jose_cfg_t *cfg, json_t *jwk) { return jose.jose_jwk_gen(cfg, jwk); }
bool cjose_jwk_pub(jose_cfg_t *cfg, json_t *jwk) { return jose.jose_jwk_pub(cfg, jwk); }
json_t *cjose_jwk_thp(jose_cfg_t *cfg, const json_t *jwk, const char *hash) {
  return jose.jose_jwk_thp(cfg, jwk, hash);
}

bool cjose_jws_sig(jose_cfg_t *cfg, json_t *jws, json_t *signature, const json_t *jwk) {
  return jose.jose_jws_sig(cfg, jws, signature, jwk);
}
bool cjose_jws_ver(jose_cfg_t *cfg, const json_t *jws, const json_t *signature, const json_t *jwk, bool all) {
  return jose.jose_jws_ver(cfg, jws, signature, jwk, all);
}

bool cjose_jwe_enc_cek(jose_cfg_t *cfg, json_t *jwe, const json_t *key, const void *plain, size_t size) {
  return jose.jose_jwe_enc_cek(cfg, jwe, key, plain, size);
}
void *cjose_jwe_dec_cek(jose_cfg_t *cfg, const json_t *jwe, const json_t *key, size_t *size) {
  return jose.jose_jwe_dec_cek(cfg, jwe, key, size);
}

unsigned char *cjose_sha256(const unsigned char *bytes, size_t size, unsigned char *digest) {
  return jose.SHA256(bytes, size, digest);
}
unsigned char *cjose_sha384(const unsigned char *bytes, size_t size, unsigned char *digest) {
  return jose.SHA384(bytes, size, digest);
}
unsigned char *cjose_sha512(const unsigned char *bytes, size_t size, unsigned char *digest) {
  return jose.SHA512(bytes, size, digest);
}

bool cjose_hmac_sha1(
    const unsigned char *key, size_t key_size, const unsigned char *message, size_t size, unsigned char *digest) {
  unsigned length = 0;
  return jose.HMAC(jose.EVP_sha1(), key, (int)key_size, message, size, digest, &length) && length == 20;
}

void cjose_clear_errors(void) { jose.ERR_clear_error(); }

static int curve_number(const char *curve) {
  if (!strcmp(curve, "P-256")) return NID_X9_62_prime256v1;
  if (!strcmp(curve, "P-384")) return NID_secp384r1;
  if (!strcmp(curve, "P-521")) return NID_secp521r1;
  return NID_undef;
}

bool cjose_is_on_curve(const char *curve, const unsigned char *x, const unsigned char *y, size_t size) {
  int number = curve_number(curve);
  if (number == NID_undef) return false;
  EC_GROUP *group = jose.EC_GROUP_new_by_curve_name(number);
  EC_POINT *point = group ? jose.EC_POINT_new(group) : NULL;
  BIGNUM *first = jose.BN_bin2bn(x, (int)size, NULL);
  BIGNUM *second = jose.BN_bin2bn(y, (int)size, NULL);
  // libcrypto refuses coordinates of a point that is not on the curve.
  bool is_on_curve =
      point && first && second && jose.EC_POINT_set_affine_coordinates(group, point, first, second, NULL) == 1;
  jose.BN_free(first);
  jose.BN_free(second);
  jose.EC_POINT_free(point);
  jose.EC_GROUP_free(group);
  jose.ERR_clear_error();
  return is_on_curve;
}
