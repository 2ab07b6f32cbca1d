#include "CMicrohttpdShims.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>

#define FUNCTIONS(X)                                                                                                   \
  X(start_daemon) X(stop_daemon)                                                                                       \
  X(get_connection_values) X(get_connection_info) X(suspend_connection) X(resume_connection)                           \
  X(create_response_from_buffer) X(create_response_from_callback) X(destroy_response)                                  \
  X(add_response_header) X(queue_response)

// The types come from the library's header, so that a changed signature does not compile.
static struct {
#define MEMBER(name) __typeof__(&MHD_##name) name;
  FUNCTIONS(MEMBER)
} mhd;

static const char *failure;

static void load(void) {
  void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    failure = dlerror();
    return;
  }
#define LOOK_UP(name)                                                                                                  \
  if (!(mhd.name = (__typeof__(mhd.name))dlsym(library, "MHD_" #name))) {                                              \
    failure = dlerror();                                                                                               \
    return;                                                                                                            \
  }
  FUNCTIONS(LOOK_UP)
}

const char *cmhd_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure;
}

static _Atomic(cmhd_starved) starved_handler;

// The log is the only place where the library tells that accept(2) found no descriptor.
static void log_message(void *context, const char *format, va_list arguments) {
  cmhd_starved starved = starved_handler;
  if (starved && strstr(format, "system resource limit")) starved(context);
  (void)arguments;
}

struct MHD_Daemon *cmhd_start_daemon(
    unsigned flags, MHD_AccessHandlerCallback handler, cmhd_starved starved, void *context,
    struct MHD_OptionItem *options) {
  starved_handler = starved;
  // The log first, so that what is said about the other options goes there.
  return mhd.start_daemon(flags | MHD_USE_ERROR_LOG, 0, NULL, NULL, handler, context, MHD_OPTION_EXTERNAL_LOGGER,
                          &log_message, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

void cmhd_stop_daemon(struct MHD_Daemon *daemon) { mhd.stop_daemon(daemon); }

int cmhd_get_connection_values(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIterator iterator, void *context) {
  return mhd.get_connection_values(connection, kind, iterator, context);
}

int cmhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

uint64_t cmhd_received_bytes(int socket) {
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_received : 0;
}

void cmhd_suspend_connection(struct MHD_Connection *connection) { mhd.suspend_connection(connection); }
void cmhd_resume_connection(struct MHD_Connection *connection) { mhd.resume_connection(connection); }

struct MHD_Response *cmhd_create_response(const void *bytes, size_t size) {
  // Only its type says that the library writes there: for another of the modes.
  return mhd.create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

struct MHD_Response *cmhd_create_response_from_callback(
    uint64_t size, size_t block_size, MHD_ContentReaderCallback read, void *context,
    MHD_ContentReaderFreeCallback release) {
  return mhd.create_response_from_callback(size, block_size, read, context, release);
}

void cmhd_destroy_response(struct MHD_Response *response) { mhd.destroy_response(response); }

enum MHD_Result cmhd_add_response_header(struct MHD_Response *response, const char *name, const char *value) {
  return mhd.add_response_header(response, name, value);
}

enum MHD_Result cmhd_queue_response(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
  return mhd.queue_response(connection, status, response);
}
