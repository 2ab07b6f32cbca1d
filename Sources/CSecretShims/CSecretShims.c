#include "CSecretShims.h"

#if !__has_include(<libsecret/secret.h>)
#error "libsecret's header is missing; install the package libsecret-1-dev"
#endif
#include <libsecret/secret.h>
#include <stdlib.h>
#include <string.h>

#define LAZY_LIBRARY lib
#define LAZY_LOAD csecret_load
#define LAZY_FILES "libsecret-1.so.0"
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(g_bus_get_sync) X(g_dbus_connection_set_exit_on_close) X(g_dbus_error_strip_remote_error) X(g_cancellable_new)     \
  X(g_cancellable_cancel) X(g_error_free) X(g_object_unref) X(g_hash_table_new) X(g_hash_table_insert)                 \
  X(g_hash_table_unref) X(g_str_hash) X(g_str_equal) X(g_list_free) X(g_list_append) X(secret_service_get_type)        \
  X(secret_service_open_sync) X(secret_service_search_sync) X(secret_service_unlock_sync)                              \
  X(secret_service_store_sync) X(secret_service_clear_sync) X(secret_collection_for_alias_sync)                        \
  X(secret_collection_get_locked) X(secret_item_get_secret) X(secret_value_new) X(secret_value_get_text)               \
  X(secret_value_unref)
#include "lazy_library.h"

struct csecret_call {
  GCancellable *cancellable;
};

csecret_call *csecret_call_new(void) {
  csecret_call *call = malloc(sizeof *call);
  if (!call) abort();
  call->cancellable = lib.g_cancellable_new();
  return call;
}

void csecret_call_cancel(csecret_call *call) { lib.g_cancellable_cancel(call->cancellable); }

void csecret_call_free(csecret_call *call) {
  lib.g_object_unref(call->cancellable);
  free(call);
}

void csecret_free(char *text) {
  if (!text) return;
  explicit_bzero(text, strlen(text));
  free(text);
}

static csecret_result fail(GError *error, char **text) {
  if (error) lib.g_dbus_error_strip_remote_error(error);
  *text = strdup(error && error->message ? error->message : "it gave no reason");
  if (error) lib.g_error_free(error);
  return csecret_failed;
}

// Each call has its own connection: a desktop session may end and another begin while the program runs. By default, GIO
// shares a connection as long as it is held, and ends the process with it.
typedef struct {
  GDBusConnection *bus;
  SecretService *service;
} session;

static bool open_session(session *s, csecret_call *call, char **text) {
  GError *error = NULL;
  *s = (session){0};
  s->bus = lib.g_bus_get_sync(G_BUS_TYPE_SESSION, call->cancellable, &error);
  if (!s->bus) return fail(error, text), false;
  lib.g_dbus_connection_set_exit_on_close(s->bus, FALSE);
  s->service = lib.secret_service_open_sync(
      lib.secret_service_get_type(), NULL, SECRET_SERVICE_OPEN_SESSION, call->cancellable, &error);
  if (!s->service) {
    lib.g_object_unref(s->bus);
    return fail(error, text), false;
  }
  return true;
}

static void close_session(session *s) {
  lib.g_object_unref(s->service);
  lib.g_object_unref(s->bus);
}

static const SecretSchema schema = {
    "org.b2c-run.Key",
    SECRET_SCHEMA_NONE,
    {{"store", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"group", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}}};

static GHashTable *attributes(const char *store, const char *group) {
  GHashTable *table = lib.g_hash_table_new(lib.g_str_hash, lib.g_str_equal);
  lib.g_hash_table_insert(table, "store", (gpointer)store);
  lib.g_hash_table_insert(table, "group", (gpointer)group);
  return table;
}

// Returns `done` if the default collection is unlocked.
static csecret_result collection_state(session *s, bool unlock, csecret_call *call, char **text) {
  GError *error = NULL;
  SecretCollection *collection = lib.secret_collection_for_alias_sync(
      s->service, SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_NONE, call->cancellable, &error);
  if (error) return fail(error, text);
  if (!collection) return csecret_no_collection;
  csecret_result result = lib.secret_collection_get_locked(collection) ? csecret_locked : csecret_done;
  if (result == csecret_locked && unlock) {
    GList *list = lib.g_list_append(NULL, collection);
    gint count = lib.secret_service_unlock_sync(s->service, list, call->cancellable, NULL, &error);
    lib.g_list_free(list);
    if (error) result = fail(error, text);
    else if (count == 1) result = csecret_done;
  }
  lib.g_object_unref(collection);
  return result;
}

csecret_result csecret_probe(csecret_call *call, char **text) {
  session s;
  if (!open_session(&s, call, text)) return csecret_failed;
  csecret_result result = collection_state(&s, false, call, text);
  close_session(&s);
  return result;
}

static csecret_result search(session *s, GHashTable *table, csecret_call *call, char **secret, char **text) {
  GError *error = NULL;
  GList *items = lib.secret_service_search_sync(
      s->service, &schema, table, SECRET_SEARCH_UNLOCK | SECRET_SEARCH_LOAD_SECRETS, call->cancellable, &error);
  if (error) return fail(error, text);
  if (!items) return csecret_none;
  SecretValue *value = lib.secret_item_get_secret(items->data);
  for (GList *item = items; item; item = item->next) lib.g_object_unref(item->data);
  lib.g_list_free(items);
  if (!value) return csecret_locked;
  const char *found = lib.secret_value_get_text(value);
  *secret = strdup(found ? found : "");
  lib.secret_value_unref(value);
  return csecret_done;
}

csecret_result csecret_lookup(
    csecret_call *call, const char *store, const char *group, char **secret, char **text) {
  session s;
  if (!open_session(&s, call, text)) return csecret_failed;
  GHashTable *table = attributes(store, group);
  csecret_result result = search(&s, table, call, secret, text);
  if (result == csecret_none) {
    // Some services hide the contents of a locked collection.
    csecret_result state = collection_state(&s, false, call, text);
    if (state == csecret_locked) {
      state = collection_state(&s, true, call, text);
      result = state == csecret_done ? search(&s, table, call, secret, text) : state;
    } else if (state == csecret_failed) {
      result = state;
    }
  }
  lib.g_hash_table_unref(table);
  close_session(&s);
  return result;
}

csecret_result csecret_store(
    csecret_call *call, const char *store, const char *group, const char *label, const char *secret, char **text) {
  session s;
  if (!open_session(&s, call, text)) return csecret_failed;
  csecret_result result = collection_state(&s, true, call, text);
  if (result == csecret_done) {
    GError *error = NULL;
    GHashTable *table = attributes(store, group);
    SecretValue *value = lib.secret_value_new(secret, -1, "text/plain");
    if (!lib.secret_service_store_sync(
            s.service, &schema, table, SECRET_COLLECTION_DEFAULT, label, value, call->cancellable, &error))
      result = fail(error, text);
    lib.secret_value_unref(value);
    lib.g_hash_table_unref(table);
  }
  close_session(&s);
  return result;
}

csecret_result csecret_clear(csecret_call *call, const char *store, const char *group, char **text) {
  session s;
  if (!open_session(&s, call, text)) return csecret_failed;
  GError *error = NULL;
  GHashTable *table = attributes(store, group);
  lib.secret_service_clear_sync(s.service, &schema, table, call->cancellable, &error);
  lib.g_hash_table_unref(table);
  close_session(&s);
  return error ? fail(error, text) : csecret_done;
}
