#pragma once

// The parser for HTTP/1 answers of Boost.Beast, which has no more than headers.
//
// Why in C++: Swift does not call virtual functions of C++, which the parser calls for each part of an answer.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads one answer after the other.
typedef struct canswer canswer;

typedef enum {
  CANSWER_INCOMPLETE,
  CANSWER_COMPLETE,
  /// The bytes are no HTTP.
  CANSWER_INVALID,
  /// The body is larger than the caller wants.
  CANSWER_TOO_LARGE,
} canswer_progress;

/// Bytes that belong to the answer, until it begins anew.
typedef struct {
  const uint8_t *_Nullable start;
  size_t count;
} canswer_bytes;

canswer *_Nonnull canswer_make(void);
void canswer_free(canswer *_Nonnull answer);

/// Makes ready for the next answer.
void canswer_begin(canswer *_Nonnull answer, size_t maximum_body);
/// Takes what has come; no bytes are the end of the connection. Not called again before `canswer_begin`, unless the
/// answer is incomplete.
canswer_progress canswer_take(canswer *_Nonnull answer, const void *_Nullable bytes, size_t count);

/// Returns whether any bytes have arrived.
bool canswer_has_begun(const canswer *_Nonnull answer);
/// Returns whether the connection can be reused after the complete response.
bool canswer_keeps_alive(const canswer *_Nonnull answer);
int canswer_status(const canswer *_Nonnull answer);
/// The field lines, each with its line break.
canswer_bytes canswer_fields(const canswer *_Nonnull answer);
canswer_bytes canswer_body(const canswer *_Nonnull answer);

#ifdef __cplusplus
}
#endif
