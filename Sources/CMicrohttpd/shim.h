#pragma once

#include <microhttpd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// A callback that takes a va_list, which Swift cannot write, and a function that takes any number of arguments.

/// Writes what libmicrohttpd has to say to standard error. That a handler wanted its connection dropped is left out:
/// the library calls it an internal error of the application.
static void cmhd_log(void *context, const char *format, va_list arguments) {
  const char *dropped = "Application reported internal error";
  if (strncmp(format, dropped, strlen(dropped)) != 0) vfprintf(stderr, format, arguments);
  (void)context;
}

/// Its address, as MHD_OPTION_ARRAY takes it.
static inline intptr_t cmhd_logger(void) { return (intptr_t)&cmhd_log; }

/// The connection's socket; -1 when it has none any more.
static inline int cmhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}
