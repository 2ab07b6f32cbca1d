#include "CPQShims.h"
#include <sys/ioctl.h>
#include <sys/socket.h>

#define LAZY_LIBRARY pq
#define LAZY_LOAD cpq_load
#define LAZY_FILES "libpq.so.5"
#define LAZY_PREFIX PQ
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(connectStartParams) X(reset) X(setErrorVerbosity) X(setSingleRowMode) X(finish) X(status) X(errorMessage)          \
  X(serverVersion) X(socket) X(host) X(setnonblocking)                                                                 \
  X(conninfoParse) X(conninfoFree) X(freemem) X(sendQueryParams) X(sendQuery) X(flush) X(consumeInput) X(isBusy)        \
  X(getResult) X(clear) X(resultStatus) X(resultErrorField) X(resultErrorMessage) X(ntuples) X(nfields) X(fname)        \
  X(ftype) X(getisnull) X(getvalue) X(getlength) X(cmdTuples) X(setNoticeProcessor)
#include "lazy_library.h"

static void ignore_notice(void *context, const char *message) {}

PGconn *cpq_begin(const char *const *keywords, const char *const *values) {
  // Only the first database's name is a connection string.
  PGconn *connection = pq.connectStartParams(keywords, values, 1);
  if (!connection) return NULL;
  // libpq would write notices to standard error.
  pq.setNoticeProcessor(connection, ignore_notice, NULL);
  // Without this, the message of a server's refusal has no SQLSTATE.
  pq.setErrorVerbosity(connection, PQERRORS_VERBOSE);
  return connection;
}
void cpq_connect(PGconn *connection) {
  // libpq's limit of time for each host is that of a connection which is made in one call. The reset is such a call: it
  // begins anew, before the server has got a byte.
  if (pq.status(connection) != CONNECTION_BAD) pq.reset(connection);
  pq.setErrorVerbosity(connection, PQERRORS_DEFAULT);
}
void cpq_cut_off(PGconn *connection) {
  int descriptor = pq.socket(connection);
  if (descriptor >= 0) shutdown(descriptor, SHUT_RDWR);
}
void cpq_finish(PGconn *connection) { pq.finish(connection); }
int cpq_is_bad(PGconn *connection) { return pq.status(connection) != CONNECTION_OK; }
const char *cpq_error(PGconn *connection) { return pq.errorMessage(connection); }
int cpq_server_version(PGconn *connection) { return pq.serverVersion(connection); }
int cpq_socket(PGconn *connection) { return pq.socket(connection); }
const char *cpq_host(PGconn *connection) {
  const char *host = pq.host(connection);
  return host ? host : "";
}
int cpq_set_nonblocking(PGconn *connection) { return pq.setnonblocking(connection, 1); }
PQconninfoOption *cpq_parse(const char *text, char **message) { return pq.conninfoParse(text, message); }
void cpq_free_options(PQconninfoOption *options) { pq.conninfoFree(options); }
void cpq_free(void *memory) { pq.freemem(memory); }

int cpq_send(PGconn *connection, const char *sql, int count, const char *const *values, const int *lengths) {
  // 65,535 is the protocol's limit for parameters; the host's statements have a few.
  int formats[count + 1];
  for (int i = 0; i < count; i++) formats[i] = lengths[i] >= 0;
  return pq.sendQueryParams(connection, sql, count, NULL, values, lengths, formats, 0);
}
int cpq_set_row_mode(PGconn *connection) { return pq.setSingleRowMode(connection); }
int cpq_waiting(PGconn *connection) {
  int count = 0;
  return ioctl(pq.socket(connection), FIONREAD, &count) ? 0 : count;
}
int cpq_send_script(PGconn *connection, const char *sql) { return pq.sendQuery(connection, sql); }
int cpq_flush(PGconn *connection) { return pq.flush(connection); }
int cpq_consume(PGconn *connection) { return pq.consumeInput(connection); }
int cpq_is_busy(PGconn *connection) { return pq.isBusy(connection); }
PGresult *cpq_result(PGconn *connection) { return pq.getResult(connection); }
void cpq_clear(PGresult *result) { pq.clear(result); }
int cpq_status(const PGresult *result) { return pq.resultStatus(result); }
const char *cpq_error_field(const PGresult *result, int field) { return pq.resultErrorField(result, field); }
const char *cpq_result_error(const PGresult *result) { return pq.resultErrorMessage(result); }
int cpq_rows(const PGresult *result) { return pq.ntuples(result); }
int cpq_columns(const PGresult *result) { return pq.nfields(result); }
const char *cpq_column_name(const PGresult *result, int column) { return pq.fname(result, column); }
uint32_t cpq_column_type(const PGresult *result, int column) { return pq.ftype(result, column); }
int cpq_is_null(const PGresult *result, int row, int column) { return pq.getisnull(result, row, column); }
const char *cpq_value(const PGresult *result, int row, int column) { return pq.getvalue(result, row, column); }
int cpq_value_length(const PGresult *result, int row, int column) { return pq.getlength(result, row, column); }
const char *cpq_changed_rows(PGresult *result) { return pq.cmdTuples(result); }
