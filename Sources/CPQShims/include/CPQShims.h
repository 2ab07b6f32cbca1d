#pragma once

// libpq, loaded when the first PostgreSQL database is used.
//
// Why not linked: it brings OpenSSL, LDAP and Kerberos, and most runs keep everything in SQLite.

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "libpq's header is missing; install the package libpq-dev"
#endif
#include <stdint.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable cpq_load(void);

/// Begins a connection. `values` belong to `keywords`; both end with nil. The first value of `dbname` may be a connection
/// string. Returns nil without memory.
PGconn *_Nullable cpq_begin(const char *_Nullable const *_Nonnull keywords, const char *_Nullable const *_Nonnull values);
/// Waits until the connection is made or refused. In the message of a server's refusal, the SQLSTATE is between the severity
/// and the text: `FATAL:  28P01: password …`.
void cpq_connect(PGconn *_Nonnull connection);
/// Ends what the server says, for a thread that waits in `cpq_connect`. Called by another thread.
void cpq_cut_off(PGconn *_Nonnull connection);
void cpq_finish(PGconn *_Nonnull connection);
/// 0 if the connection can be used.
int cpq_is_bad(PGconn *_Nonnull connection);
const char *_Nonnull cpq_error(PGconn *_Nonnull connection);
/// As a number such as 150018.
int cpq_server_version(PGconn *_Nonnull connection);
int cpq_socket(PGconn *_Nonnull connection);
/// The name of the host that answered, of the user and of the database.
const char *_Nonnull cpq_host(PGconn *_Nonnull connection);
/// Calls of the connection do not block from now on. 0 for success.
int cpq_set_nonblocking(PGconn *_Nonnull connection);
/// Parts of a connection string as "keyword=value" pairs are freed with `cpq_free_options`. Returns nil, with a message to
/// be freed with `cpq_free`, for a wrong string.
PQconninfoOption *_Nullable cpq_parse(const char *_Nonnull text, char *_Nullable *_Nonnull message);
void cpq_free_options(PQconninfoOption *_Nonnull options);
void cpq_free(void *_Nullable memory);

/// Sends a statement with its values. A value with a length is binary; one with the length -1 is text with a NUL at its
/// end. 1 for success.
int cpq_send(
    PGconn *_Nonnull connection, const char *_Nonnull sql, int count, const char *_Nullable const *_Nullable values,
    const int *_Nullable lengths);
/// Sends several statements without values. 1 for success.
int cpq_send_script(PGconn *_Nonnull connection, const char *_Nonnull sql);
/// Has the rows of the statement that was just sent come one by one, each as a result with the status `PGRES_SINGLE_TUPLE`.
/// 1 for success.
int cpq_set_row_mode(PGconn *_Nonnull connection);
/// The number of bytes that the system has received and `cpq_consume` has not read.
int cpq_waiting(PGconn *_Nonnull connection);
/// 0 if everything was sent, 1 if not, -1 for an error.
int cpq_flush(PGconn *_Nonnull connection);
/// Reads what is there. 1 for success.
int cpq_consume(PGconn *_Nonnull connection);
int cpq_is_busy(PGconn *_Nonnull connection);
/// The next result of the statement; nil after the last one. Call `cpq_clear` for each.
PGresult *_Nullable cpq_result(PGconn *_Nonnull connection);
void cpq_clear(PGresult *_Nullable result);
int cpq_status(const PGresult *_Nonnull result);
/// The SQLSTATE, the primary message and so on, by `PG_DIAG_…`; nil if there is none.
const char *_Nullable cpq_error_field(const PGresult *_Nonnull result, int field);
const char *_Nonnull cpq_result_error(const PGresult *_Nonnull result);
int cpq_rows(const PGresult *_Nonnull result);
int cpq_columns(const PGresult *_Nonnull result);
const char *_Nonnull cpq_column_name(const PGresult *_Nonnull result, int column);
/// The type's OID, as in pg_type.dat of PostgreSQL.
uint32_t cpq_column_type(const PGresult *_Nonnull result, int column);
int cpq_is_null(const PGresult *_Nonnull result, int row, int column);
const char *_Nonnull cpq_value(const PGresult *_Nonnull result, int row, int column);
int cpq_value_length(const PGresult *_Nonnull result, int row, int column);
/// The number of changed rows as text; empty for statements that change none.
const char *_Nonnull cpq_changed_rows(PGresult *_Nonnull result);
