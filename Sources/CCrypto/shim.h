#include <openssl/err.h>
#include <openssl/sha.h>
