#pragma once

// The desktop's Secret Service through libsecret, loaded when it is used.
//
// Why not linked: libsecret brings GLib and GIO, whose loading costs every start several milliseconds, and most starts
// need no key; and a server has no such service. Why C: GObject's casts, varargs and reference counts cannot be said in
// Swift. Every function here is called after `csecret_load` returned nil, blocks until the service has answered, and can
// be stopped from another thread through the call it is given.

#include <stdbool.h>

/// Loads libsecret, once and from any thread. Nil when it is there, else what the dynamic loader says.
const char *_Nullable csecret_load(void);

/// What can be stopped.
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
  /// The service is not there, or said no; `error` tells.
  csecret_failed,
} csecret_result;

/// Whether the service is there, with a default collection that is unlocked. Asks the user nothing.
csecret_result csecret_probe(csecret_call *_Nonnull call, char *_Nullable *_Nonnull error);

/// The secret with those attributes. The service may ask the user to unlock it.
csecret_result csecret_lookup(
    csecret_call *_Nonnull call, const char *_Nonnull store, const char *_Nonnull group, char *_Nullable *_Nonnull secret,
    char *_Nullable *_Nonnull error);

/// Puts a secret into the default collection, in place of the one with those attributes.
csecret_result csecret_store(
    csecret_call *_Nonnull call, const char *_Nonnull store, const char *_Nonnull group, const char *_Nonnull label,
    const char *_Nonnull secret, char *_Nullable *_Nonnull error);

/// Removes the secret with those attributes.
csecret_result csecret_clear(
    csecret_call *_Nonnull call, const char *_Nonnull store, const char *_Nonnull group, char *_Nullable *_Nonnull error);

/// Overwrites and frees a text that one of these functions returned.
void csecret_free(char *_Nullable text);
