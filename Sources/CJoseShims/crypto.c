#include "CJoseShims.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *cjose_load_crypto(void);

// The functions of libcrypto, which libjose loads.
#define LAZY_LIBRARY crypto
#define LAZY_LOAD cjose_load_crypto
#define LAZY_FILES "libjose.so.0"
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(ERR_clear_error) X(CRYPTO_memcmp) X(OPENSSL_cleanse)                                  \
  X(BN_bin2bn) X(BN_bn2bin) X(BN_bn2binpad) X(BN_num_bits) X(BN_clear_free)                                            \
  X(OSSL_PARAM_BLD_new) X(OSSL_PARAM_BLD_free) X(OSSL_PARAM_BLD_push_BN) X(OSSL_PARAM_BLD_push_utf8_string)            \
  X(OSSL_PARAM_BLD_push_octet_string) X(OSSL_PARAM_BLD_to_param) X(OSSL_PARAM_free)                                    \
  X(EVP_PKEY_CTX_new_from_name) X(EVP_PKEY_CTX_free) X(EVP_PKEY_fromdata_init) X(EVP_PKEY_fromdata)                    \
  X(EVP_PKEY_Q_keygen) X(EVP_PKEY_free) X(EVP_PKEY_eq) X(EVP_PKEY_get0_type_name) X(EVP_PKEY_get_group_name)           \
  X(EVP_PKEY_get_bits) X(EVP_PKEY_get_bn_param) X(EVP_PKEY_new_raw_private_key_ex) X(EVP_PKEY_new_raw_public_key_ex)   \
  X(EVP_PKEY_get_raw_private_key) X(EVP_PKEY_get_raw_public_key)                                                       \
  X(EVP_MD_CTX_new) X(EVP_MD_CTX_copy_ex) X(EVP_MD_CTX_free) X(EVP_DigestSignInit_ex) X(EVP_DigestSign) X(EVP_DigestVerifyInit_ex)           \
  X(EVP_DigestVerify) X(EVP_PKEY_CTX_set_rsa_padding) X(EVP_PKEY_CTX_set_rsa_pss_saltlen)                              \
  X(d2i_ECDSA_SIG) X(i2d_ECDSA_SIG) X(ECDSA_SIG_new) X(ECDSA_SIG_free) X(ECDSA_SIG_get0) X(ECDSA_SIG_set0)             \
  X(BIO_new_mem_buf) X(BIO_new) X(BIO_s_mem) X(BIO_read) X(BIO_free) X(PEM_write_bio_PrivateKey)   \
  X(PEM_read_bio_PrivateKey) X(PEM_read_bio_PUBKEY) X(PEM_read_bio_X509)                \
  X(EVP_sha256) X(X509_free) X(X509_digest) X(X509_get0_pubkey) X(X509_get0_notBefore) X(X509_get0_notAfter)           \
  X(ASN1_TIME_to_tm) X(EVP_PKEY_up_ref)                                                                                \
  X(EVP_PKEY_CTX_new_from_pkey) X(EVP_PKEY_encrypt_init) X(EVP_PKEY_encrypt) X(EVP_PKEY_decrypt_init)                  \
  X(EVP_PKEY_decrypt) X(EVP_PKEY_CTX_set_rsa_oaep_md_name) X(EVP_PKEY_CTX_set_rsa_mgf1_md_name)
#include "lazy_library.h"

void cjose_clear_errors(void) { crypto.ERR_clear_error(); }

// Keys.

/// The builder keeps no copy of names, bytes and texts, so they are copied here.
struct cjose_members {
  OSSL_PARAM_BLD *builder;
  size_t count;
  char names[8][24];
  BIGNUM *numbers[8];
  unsigned char bytes[160];
  char text[24];
};

cjose_members *cjose_members_new(void) {
  cjose_members *members = calloc(1, sizeof *members);
  if (members && !(members->builder = crypto.OSSL_PARAM_BLD_new())) {
    free(members);
    return NULL;
  }
  return members;
}

bool cjose_members_add_number(cjose_members *members, const char *name, const unsigned char *bytes, size_t size) {
  size_t i = members->count;
  if (i == sizeof members->numbers / sizeof *members->numbers || strlen(name) >= sizeof *members->names ||
      size > INT_MAX || !(members->numbers[i] = crypto.BN_bin2bn(bytes, (int)size, NULL)))
    return false;
  members->count++;
  strcpy(members->names[i], name);
  return crypto.OSSL_PARAM_BLD_push_BN(members->builder, members->names[i], members->numbers[i]);
}

bool cjose_members_add_point(cjose_members *members, const char *curve, const unsigned char *bytes, size_t size) {
  if (size > sizeof members->bytes || strlen(curve) >= sizeof members->text) return false;
  memcpy(members->bytes, bytes, size);
  strcpy(members->text, curve);
  return crypto.OSSL_PARAM_BLD_push_utf8_string(members->builder, OSSL_PKEY_PARAM_GROUP_NAME, members->text, 0) &&
         crypto.OSSL_PARAM_BLD_push_octet_string(members->builder, OSSL_PKEY_PARAM_PUB_KEY, members->bytes, size);
}

EVP_PKEY *cjose_members_key(cjose_members *members, const char *type, bool is_private) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *list = crypto.OSSL_PARAM_BLD_to_param(members->builder);
  EVP_PKEY_CTX *context = crypto.EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (!list || !context || crypto.EVP_PKEY_fromdata_init(context) != 1 ||
      crypto.EVP_PKEY_fromdata(context, &key, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, list) != 1)
    key = NULL;
  crypto.EVP_PKEY_CTX_free(context);
  for (OSSL_PARAM *item = list; item && item->key; item++) crypto.OPENSSL_cleanse(item->data, item->data_size);
  crypto.OSSL_PARAM_free(list);
  crypto.OSSL_PARAM_BLD_free(members->builder);
  for (size_t i = 0; i < members->count; i++) crypto.BN_clear_free(members->numbers[i]);
  free(members);
  crypto.ERR_clear_error();
  return key;
}

EVP_PKEY *cjose_raw_key(const char *type, const unsigned char *bytes, size_t size, bool is_private) {
  EVP_PKEY *key = is_private ? crypto.EVP_PKEY_new_raw_private_key_ex(NULL, type, NULL, bytes, size)
                             : crypto.EVP_PKEY_new_raw_public_key_ex(NULL, type, NULL, bytes, size);
  crypto.ERR_clear_error();
  return key;
}

EVP_PKEY *cjose_generate_rsa(size_t bits) { return crypto.EVP_PKEY_Q_keygen(NULL, NULL, "RSA", bits); }
EVP_PKEY *cjose_generate_ec(const char *curve) { return crypto.EVP_PKEY_Q_keygen(NULL, NULL, "EC", curve); }
EVP_PKEY *cjose_generate_ed25519(void) { return crypto.EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

void cjose_key_free(EVP_PKEY *key) { crypto.EVP_PKEY_free(key); }
bool cjose_key_equal(const EVP_PKEY *one, const EVP_PKEY *other) {
  bool are_equal = crypto.EVP_PKEY_eq(one, other) == 1;
  crypto.ERR_clear_error();
  return are_equal;
}
const char *cjose_key_type(const EVP_PKEY *key) { return crypto.EVP_PKEY_get0_type_name(key); }
int cjose_key_bits(const EVP_PKEY *key) { return crypto.EVP_PKEY_get_bits(key); }

bool cjose_key_curve(const EVP_PKEY *key, char *name, size_t capacity) {
  return crypto.EVP_PKEY_get_group_name(key, name, capacity, NULL) == 1;
}

size_t cjose_key_number(const EVP_PKEY *key, const char *name, unsigned char *bytes, size_t capacity) {
  BIGNUM *number = NULL;
  size_t size = 0;
  if (crypto.EVP_PKEY_get_bn_param(key, name, &number) == 1) {
    size = (size_t)(crypto.BN_num_bits(number) + 7) / 8;
    if (size <= capacity) crypto.BN_bn2bin(number, bytes);
    else size = 0;
  }
  crypto.BN_clear_free(number);
  crypto.ERR_clear_error();
  return size;
}

bool cjose_key_raw(const EVP_PKEY *key, bool is_private, unsigned char *bytes, size_t *size) {
  bool found = (is_private ? crypto.EVP_PKEY_get_raw_private_key(key, bytes, size)
                           : crypto.EVP_PKEY_get_raw_public_key(key, bytes, size)) == 1;
  crypto.ERR_clear_error();
  return found;
}

// PEM.

/// Gives the passphrase, or nothing. Without such a function, libcrypto asks on the terminal.
static int give_passphrase(char *buffer, int capacity, int is_writing, void *context) {
  const char *passphrase = context;
  size_t size = passphrase ? strlen(passphrase) : 0;
  if (is_writing || size > (size_t)capacity) return -1;
  memcpy(buffer, passphrase ? passphrase : "", size);
  return passphrase ? (int)size : -1;
}

EVP_PKEY *cjose_pem_key(const void *pem, size_t size, const char *passphrase, bool is_private) {
  BIO *source = size > INT_MAX ? NULL : crypto.BIO_new_mem_buf(pem, (int)size);
  if (!source) return NULL;
  EVP_PKEY *key = is_private ? crypto.PEM_read_bio_PrivateKey(source, NULL, give_passphrase, (void *)passphrase)
                             : crypto.PEM_read_bio_PUBKEY(source, NULL, give_passphrase, NULL);
  crypto.BIO_free(source);
  crypto.ERR_clear_error();
  return key;
}

size_t cjose_key_pem(const EVP_PKEY *key, unsigned char *pem, size_t capacity) {
  BIO *target = crypto.BIO_new(crypto.BIO_s_mem());
  int written = 0;
  if (target && crypto.PEM_write_bio_PrivateKey(target, key, NULL, NULL, 0, NULL, NULL) == 1)
    written = crypto.BIO_read(target, pem, capacity > INT_MAX ? INT_MAX : (int)capacity);
  crypto.BIO_free(target);
  crypto.ERR_clear_error();
  return written > 0 && (size_t)written < capacity ? (size_t)written : 0;
}

static bool read_time(const ASN1_TIME *time, int64_t *seconds) {
  struct tm parts;
  if (!time || crypto.ASN1_TIME_to_tm(time, &parts) != 1) return false;
  *seconds = timegm(&parts);
  return true;
}

bool cjose_pem_certificate(const void *pem, size_t size, cjose_certificate *certificate) {
  BIO *source = size > INT_MAX ? NULL : crypto.BIO_new_mem_buf(pem, (int)size);
  X509 *found = source ? crypto.PEM_read_bio_X509(source, NULL, give_passphrase, NULL) : NULL;
  EVP_PKEY *key = found ? crypto.X509_get0_pubkey(found) : NULL;
  bool is_read = key && crypto.X509_digest(found, crypto.EVP_sha256(), certificate->sha256, NULL) == 1 &&
                 read_time(crypto.X509_get0_notBefore(found), &certificate->not_before) &&
                 read_time(crypto.X509_get0_notAfter(found), &certificate->not_after) &&
                 crypto.EVP_PKEY_up_ref(key) == 1;
  certificate->key = is_read ? key : NULL;
  crypto.X509_free(found);
  crypto.BIO_free(source);
  crypto.ERR_clear_error();
  return is_read;
}

// Signatures.

/// Bytes of r and of s in the signature of an elliptic curve (RFC 7518, 3.4); 0 for other keys.
static int number_size(const EVP_PKEY *key) {
  const char *type = crypto.EVP_PKEY_get0_type_name(key);
  return type && !strcmp(type, "EC") ? (crypto.EVP_PKEY_get_bits(key) + 7) / 8 : 0;
}

static bool set_padding(EVP_PKEY_CTX *context, bool is_pss) {
  return !is_pss || (crypto.EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
                     crypto.EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1);
}

/// Replaces libcrypto's DER form of an elliptic curve signature with r and s side by side.
static bool flatten(unsigned char *signature, size_t *size, int half) {
  const unsigned char *der = signature;
  ECDSA_SIG *pair = crypto.d2i_ECDSA_SIG(NULL, &der, (long)*size);
  if (!pair) return false;
  const BIGNUM *r, *s;
  crypto.ECDSA_SIG_get0(pair, &r, &s);
  bool fits = crypto.BN_bn2binpad(r, signature, half) == half && crypto.BN_bn2binpad(s, signature + half, half) == half;
  *size = 2 * (size_t)half;
  crypto.ECDSA_SIG_free(pair);
  return fits;
}

EVP_MD_CTX *cjose_signer_make(EVP_PKEY *key, const char *digest, bool is_pss) {
  EVP_MD_CTX *signer = crypto.EVP_MD_CTX_new();
  EVP_PKEY_CTX *settings = NULL;
  if (signer && crypto.EVP_DigestSignInit_ex(signer, &settings, digest, NULL, NULL, key, NULL) == 1 &&
      set_padding(settings, is_pss))
    return signer;
  crypto.EVP_MD_CTX_free(signer);
  crypto.ERR_clear_error();
  return NULL;
}

void cjose_signer_free(EVP_MD_CTX *signer) { crypto.EVP_MD_CTX_free(signer); }

size_t cjose_signer_sign(
    const EVP_MD_CTX *signer, EVP_PKEY *key, const void *message, size_t size, unsigned char *signature,
    size_t capacity) {
  // The copy shares the key and the hash, which to look up takes a quarter of a signature's time.
  EVP_MD_CTX *context = crypto.EVP_MD_CTX_new();
  int half = number_size(key);
  size_t written = capacity;
  bool is_signed = context && crypto.EVP_MD_CTX_copy_ex(context, signer) == 1 &&
                   crypto.EVP_DigestSign(context, signature, &written, message, size) == 1 &&
                   (!half || flatten(signature, &written, half));
  crypto.EVP_MD_CTX_free(context);
  if (!is_signed) crypto.ERR_clear_error();
  return is_signed ? written : 0;
}

size_t cjose_sign(
    EVP_PKEY *key, const char *digest, bool is_pss, const void *message, size_t size, unsigned char *signature,
    size_t capacity) {
  EVP_MD_CTX *signer = cjose_signer_make(key, digest, is_pss);
  size_t written = signer ? cjose_signer_sign(signer, key, message, size, signature, capacity) : 0;
  cjose_signer_free(signer);
  return written;
}

static bool verify(
    EVP_PKEY *key, const char *digest, bool is_pss, const void *message, size_t size, const unsigned char *signature,
    size_t signature_size) {
  EVP_MD_CTX *context = crypto.EVP_MD_CTX_new();
  EVP_PKEY_CTX *settings = NULL;
  bool is_valid = context && crypto.EVP_DigestVerifyInit_ex(context, &settings, digest, NULL, NULL, key, NULL) == 1 &&
                  set_padding(settings, is_pss) &&
                  crypto.EVP_DigestVerify(context, signature, signature_size, message, size) == 1;
  crypto.EVP_MD_CTX_free(context);
  return is_valid;
}

bool cjose_verify(
    EVP_PKEY *key, const char *digest, bool is_pss, const void *message, size_t size, const unsigned char *signature,
    size_t signature_size) {
  const char *type = crypto.EVP_PKEY_get0_type_name(key);
  int half = number_size(key);
  bool is_valid = false;
  if (type && !strcmp(type, "HMAC")) {
    unsigned char expected[64];
    size_t written = cjose_sign(key, digest, false, message, size, expected, sizeof expected);
    is_valid = written > 0 && written == signature_size && !crypto.CRYPTO_memcmp(expected, signature, written);
  } else if (!half) {
    is_valid = verify(key, digest, is_pss, message, size, signature, signature_size);
  } else if (signature_size == 2 * (size_t)half) {
    ECDSA_SIG *pair = crypto.ECDSA_SIG_new();
    BIGNUM *r = crypto.BN_bin2bn(signature, half, NULL), *s = crypto.BN_bin2bn(signature + half, half, NULL);
    unsigned char *der = NULL;
    int der_size = 0;
    if (pair && crypto.ECDSA_SIG_set0(pair, r, s) == 1) {
      unsigned char buffer[160], *end = buffer;
      der_size = crypto.i2d_ECDSA_SIG(pair, NULL);
      if (der_size > 0 && der_size <= (int)sizeof buffer && crypto.i2d_ECDSA_SIG(pair, &end) == der_size) der = buffer;
      is_valid = der && verify(key, digest, false, message, size, buffer, (size_t)der_size);
    } else {
      crypto.BN_clear_free(r);
      crypto.BN_clear_free(s);
    }
    crypto.ECDSA_SIG_free(pair);
  }
  crypto.ERR_clear_error();
  return is_valid;
}

// Encryption of keys.

size_t cjose_oaep(
    EVP_PKEY *key, const char *digest, bool encrypts, const unsigned char *input, size_t size, unsigned char *output,
    size_t capacity) {
  EVP_PKEY_CTX *context = crypto.EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
  size_t written = capacity;
  bool is_done =
      context && (encrypts ? crypto.EVP_PKEY_encrypt_init(context) : crypto.EVP_PKEY_decrypt_init(context)) == 1 &&
      crypto.EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1 &&
      crypto.EVP_PKEY_CTX_set_rsa_oaep_md_name(context, digest, NULL) == 1 &&
      crypto.EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, digest, NULL) == 1 &&
      (encrypts ? crypto.EVP_PKEY_encrypt(context, output, &written, input, size)
                : crypto.EVP_PKEY_decrypt(context, output, &written, input, size)) == 1;
  crypto.EVP_PKEY_CTX_free(context);
  crypto.ERR_clear_error();
  return is_done ? written : 0;
}
