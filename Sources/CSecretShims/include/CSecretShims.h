#pragma once

// The desktop's Secret Service through libsecret, loaded when it is used.
//
// Why not linked: loading GLib and GIO takes several milliseconds, most runs need no key, and a server has no such service. Why
// in C: Swift cannot express GObject's casts, varargs and reference counts. Every function blocks until the service has
// answered; another thread can stop it through its call.

#include <stdbool.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable csecret_load(void);

/// A handle by which another thread stops a call.
typedef struct csecret_call csecret_call;
csecret_call *_Nonnull csecret_call_new(void);
void csecret_call_cancel(csecret_call *_Nonnull call);
void csecret_call_free(csecret_call *_Nonnull call);

typedef enum __attribute__((enum_extensibility(closed))) {
  csecret_done,
  /// There is no such secret.
  csecret_none,
  /// The default collection is locked, and was not unlocked.
  csecret_locked,
  /// There is no default collection.
  csecret_no_collection,
  /// The service is missing or refused; `error` says why.
  csecret_failed,
} csecret_result;

/// Checks that the service is there, with an unlocked default collection. Asks the user nothing.
csecret_result csecret_probe(csecret_call *_Nonnull call, char *_Nullable *_Nonnull error);

/// The secret with those attributes. The service may ask the user to unlock it.
csecret_result csecret_lookup(
    csecret_call *_Nonnull call, const char *_Nonnull store, const char *_Nonnull group, char *_Nullable *_Nonnull secret,
    char *_Nullable *_Nonnull error);

/// Puts a secret into the default collection and replaces the secret with those attributes.
csecret_result csecret_store(
    csecret_call *_Nonnull call, const char *_Nonnull store, const char *_Nonnull group, const char *_Nonnull label,
    const char *_Nonnull secret, char *_Nullable *_Nonnull error);

/// Removes the secret with those attributes.
csecret_result csecret_clear(
    csecret_call *_Nonnull call, const char *_Nonnull store, const char *_Nonnull group, char *_Nullable *_Nonnull error);

/// Overwrites and frees a text that one of these functions returned.
void csecret_free(char *_Nullable text);
