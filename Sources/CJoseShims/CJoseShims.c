#include "CJoseShims.h"

#include <dlfcn.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <string.h>

#define FUNCTIONS(X)                                                                                                   \
  X(jose_cfg) X(jose_cfg_decref) X(jose_cfg_set_err_func)                                                              \
  X(jose_jwk_gen) X(jose_jwk_pub) X(jose_jwk_thp)                                                                      \
  X(jose_jws_sig) X(jose_jws_ver) X(jose_jwe_enc_cek) X(jose_jwe_dec_cek)                                              \
  X(SHA256) X(SHA384) X(SHA512) X(HMAC) X(EVP_sha1) X(ERR_clear_error)                              \
  X(BN_bin2bn) X(BN_free) X(EC_GROUP_new_by_curve_name) X(EC_GROUP_free)                                               \
  X(EC_POINT_new) X(EC_POINT_free) X(EC_POINT_set_affine_coordinates)

// The types come from the libraries' headers, so that a changed signature does not compile.
static struct {
#define MEMBER(name) __typeof__(&name) name##_;
  FUNCTIONS(MEMBER)
} jose;

static const char *failure;

static void load(void) {
  void *library = dlopen("libjose.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    failure = dlerror();
    return;
  }
  // A look-up goes through the libraries that libjose needs, too: libcrypto's functions are found this way.
#define LOOK_UP(name)                                                                                                  \
  if (!(jose.name##_ = (__typeof__(&name))dlsym(library, #name))) {                                                    \
    failure = dlerror();                                                                                               \
    return;                                                                                                            \
  }
  FUNCTIONS(LOOK_UP)
}

const char *cjose_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure;
}

jose_cfg_t *cjose_cfg(void) { return jose.jose_cfg_(); }
void cjose_cfg_decref(jose_cfg_t *cfg) { jose.jose_cfg_decref_(cfg); }
void cjose_cfg_set_err_func(jose_cfg_t *cfg, jose_cfg_err_t *report, void *context) {
  jose.jose_cfg_set_err_func_(cfg, report, context);
}

bool cjose_jwk_gen(jose_cfg_t *cfg, json_t *jwk) { return jose.jose_jwk_gen_(cfg, jwk); }
bool cjose_jwk_pub(jose_cfg_t *cfg, json_t *jwk) { return jose.jose_jwk_pub_(cfg, jwk); }
json_t *cjose_jwk_thp(jose_cfg_t *cfg, const json_t *jwk, const char *hash) {
  return jose.jose_jwk_thp_(cfg, jwk, hash);
}

bool cjose_jws_sig(jose_cfg_t *cfg, json_t *jws, json_t *signature, const json_t *jwk) {
  return jose.jose_jws_sig_(cfg, jws, signature, jwk);
}
bool cjose_jws_ver(jose_cfg_t *cfg, const json_t *jws, const json_t *signature, const json_t *jwk, bool all) {
  return jose.jose_jws_ver_(cfg, jws, signature, jwk, all);
}

bool cjose_jwe_enc_cek(jose_cfg_t *cfg, json_t *jwe, const json_t *key, const void *plain, size_t size) {
  return jose.jose_jwe_enc_cek_(cfg, jwe, key, plain, size);
}
void *cjose_jwe_dec_cek(jose_cfg_t *cfg, const json_t *jwe, const json_t *key, size_t *size) {
  return jose.jose_jwe_dec_cek_(cfg, jwe, key, size);
}

unsigned char *cjose_sha256(const unsigned char *bytes, size_t size, unsigned char *digest) {
  return jose.SHA256_(bytes, size, digest);
}
unsigned char *cjose_sha384(const unsigned char *bytes, size_t size, unsigned char *digest) {
  return jose.SHA384_(bytes, size, digest);
}
unsigned char *cjose_sha512(const unsigned char *bytes, size_t size, unsigned char *digest) {
  return jose.SHA512_(bytes, size, digest);
}

bool cjose_hmac_sha1(
    const unsigned char *key, size_t key_size, const unsigned char *message, size_t size, unsigned char *digest) {
  unsigned length = 0;
  return jose.HMAC_(jose.EVP_sha1_(), key, (int)key_size, message, size, digest, &length) && length == 20;
}

void cjose_clear_errors(void) { jose.ERR_clear_error_(); }

static int curve_number(const char *curve) {
  if (!strcmp(curve, "P-256")) return NID_X9_62_prime256v1;
  if (!strcmp(curve, "P-384")) return NID_secp384r1;
  if (!strcmp(curve, "P-521")) return NID_secp521r1;
  return NID_undef;
}

bool cjose_is_on_curve(const char *curve, const unsigned char *x, const unsigned char *y, size_t size) {
  int number = curve_number(curve);
  if (number == NID_undef) return false;
  EC_GROUP *group = jose.EC_GROUP_new_by_curve_name_(number);
  EC_POINT *point = group ? jose.EC_POINT_new_(group) : NULL;
  BIGNUM *first = jose.BN_bin2bn_(x, (int)size, NULL);
  BIGNUM *second = jose.BN_bin2bn_(y, (int)size, NULL);
  // libcrypto refuses coordinates of a point that is not on the curve.
  bool is_on_curve =
      point && first && second && jose.EC_POINT_set_affine_coordinates_(group, point, first, second, NULL) == 1;
  jose.BN_free_(first);
  jose.BN_free_(second);
  jose.EC_POINT_free_(point);
  jose.EC_GROUP_free_(group);
  jose.ERR_clear_error_();
  return is_on_curve;
}
