#include "CMicrohttpdShims.h"

#include <netinet/in.h>
#include <linux/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define LAZY_LIBRARY mhd
#define LAZY_LOAD cmhd_load
#define LAZY_FILES "libmicrohttpd.so.12"
#define LAZY_PREFIX MHD_
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(start_daemon) X(stop_daemon) X(get_connection_values) X(get_connection_info) X(suspend_connection)                 \
  X(resume_connection) X(create_response_from_buffer) X(create_response_from_callback) X(destroy_response)             \
  X(add_response_header) X(queue_response) X(get_version)
#include "lazy_library.h"

static _Atomic(cmhd_starved) starved_handler;

// Only the log of the library reports that accept(2) found no descriptor.
static void log_message(void *context, const char *format, va_list arguments) {
  cmhd_starved starved = starved_handler;
  if (starved && strstr(format, "system resource limit")) starved(context);
  (void)arguments;
}

struct MHD_Daemon *cmhd_start_daemon(
    unsigned flags, MHD_AccessHandlerCallback handler, cmhd_starved starved, void *context,
    struct MHD_OptionItem *options) {
  starved_handler = starved;
  // The log comes first, so that it gets the messages about the other options.
  return mhd.start_daemon(flags | MHD_USE_ERROR_LOG, 0, NULL, NULL, handler, context, MHD_OPTION_EXTERNAL_LOGGER,
                          &log_message, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static int library_version(void) {
  int major = 0, minor = 0, patch = 0;
  sscanf(mhd.get_version(), "%d.%d.%d", &major, &minor, &patch);
  return major * 1000000 + minor * 1000 + patch;
}

bool cmhd_reads_in_place(void) {
  static _Atomic int version;
  if (version == 0) version = library_version();
  return version <= 9077;
}

struct MHD_OptionItem cmhd_strict_option(void) {
  // MHD_OPTION_CLIENT_DISCIPLINE_LVL, which earlier headers do not name.
  return (struct MHD_OptionItem){.option = (enum MHD_OPTION)38, .value = 1};
}

size_t cmhd_header_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
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

void *cmhd_tls_session(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info ? info->tls_session : NULL;
}

uint64_t cmhd_received_bytes(int socket) {
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_received : 0;
}

void cmhd_suspend_connection(struct MHD_Connection *connection) { mhd.suspend_connection(connection); }
void cmhd_resume_connection(struct MHD_Connection *connection) { mhd.resume_connection(connection); }

struct MHD_Response *cmhd_create_response(const void *bytes, size_t size) {
  // The library does not write to the body in this mode, although its parameter is not const.
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
