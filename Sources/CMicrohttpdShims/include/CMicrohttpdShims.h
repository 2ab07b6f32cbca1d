#pragma once

// libmicrohttpd, loaded when the first server starts.
//
// Why not linked: it brings GnuTLS with nine more libraries, which the dynamic loader would load at every start, and most
// runs serve nothing. Why in C: the function that starts a daemon is variadic, and the log is a callback with a va_list.

#if !__has_include(<microhttpd.h>)
#error "libmicrohttpd's header is missing; install the package libmicrohttpd-dev"
#endif
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable cmhd_load(void);

typedef void (*cmhd_starved)(void *_Nullable context);

/// Starts a daemon, which logs nothing.
/// - Parameters:
///   - starved: called on the daemon's thread each time when the system has no descriptor for a new connection. It is the same
///     function for all daemons. The library then accepts nothing until one of its connections ends; without any connection
///     it asks again at once.
///   - context: for `handler` and for `starved`.
///   - options: MHD_OPTION_END is the last.
struct MHD_Daemon *_Nullable cmhd_start_daemon(
    unsigned flags, MHD_AccessHandlerCallback _Nonnull handler, cmhd_starved _Nonnull starved, void *_Nullable context,
    struct MHD_OptionItem *_Nonnull options);
void cmhd_stop_daemon(struct MHD_Daemon *_Nonnull daemon);

/// Returns true for a library that reads a header in place and gives C strings of it (up to 0.9.77). It takes a NUL for the end of a
/// string, and a folded line for a part of the name. Later versions refuse both.
bool cmhd_reads_in_place(void);
/// The option for versions after 0.9.77 by which they refuse more of what RFC 9112 does not allow, such as a bare LF.
struct MHD_OptionItem cmhd_strict_option(void);
/// The size of the request's header with its last empty line; 0 if it is not known.
size_t cmhd_header_size(struct MHD_Connection *_Nonnull connection);

int cmhd_get_connection_values(
    struct MHD_Connection *_Nonnull connection, enum MHD_ValueKind kind, MHD_KeyValueIterator _Nonnull iterator,
    void *_Nullable context);
/// The connection's socket; -1 if it has none any more.
int cmhd_socket(struct MHD_Connection *_Nonnull connection);
/// The session of GnuTLS; nil for a connection without TLS.
void *_Nullable cmhd_tls_session(struct MHD_Connection *_Nonnull connection);
/// The number of bytes received by a socket since it was connected; 0 if the system does not tell.
uint64_t cmhd_received_bytes(int socket);
void cmhd_suspend_connection(struct MHD_Connection *_Nonnull connection);
void cmhd_resume_connection(struct MHD_Connection *_Nonnull connection);

/// The library copies the bytes. Release the response with `cmhd_destroy_response`, like the response of the next function.
struct MHD_Response *_Nullable cmhd_create_response(const void *_Nullable bytes, size_t size);
struct MHD_Response *_Nullable cmhd_create_response_from_callback(
    uint64_t size, size_t block_size, MHD_ContentReaderCallback _Nonnull read, void *_Nullable context,
    MHD_ContentReaderFreeCallback _Nonnull release);
void cmhd_destroy_response(struct MHD_Response *_Nonnull response);
enum MHD_Result cmhd_add_response_header(
    struct MHD_Response *_Nonnull response, const char *_Nonnull name, const char *_Nonnull value);
enum MHD_Result cmhd_queue_response(
    struct MHD_Connection *_Nonnull connection, unsigned status, struct MHD_Response *_Nonnull response);
