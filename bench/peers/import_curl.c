// An import with libcurl only, which is the limit for programs based on libcurl. One curl_multi is driven by epoll;
// handles are reused, and their options are set once. Prints the number of added rows and the seconds.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

enum { MOST_IN_FLIGHT = 1024, LONGEST_TEXT = 1024, MOST_EVENTS = 64 };

typedef struct {
  CURL *easy;
  char body[3 * LONGEST_TEXT + 16];
} transfer;

static CURLM *multi;
static int queue;
static long timeout = -1;
static char *rows;
static long added, under_way;

static void fail(const char *reason) {
  fprintf(stderr, "%s\n", reason);
  exit(1);
}

static int wait_for(CURL *easy, curl_socket_t socket, int what, void *context, void *is_known) {
  struct epoll_event event = {
      .events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0), .data.fd = socket};
  // A connection between two requests stays in the queue.
  if (what == CURL_POLL_REMOVE) return 0;
  if (epoll_ctl(queue, EPOLL_CTL_MOD, socket, &event) && epoll_ctl(queue, EPOLL_CTL_ADD, socket, &event)) fail("epoll");
  return 0;
}

static int call_after(CURLM *multi, long milliseconds, void *context) {
  timeout = milliseconds;
  return 0;
}

static size_t ignore(char *bytes, size_t size, size_t count, void *context) { return size * count; }

/// Writes the first column of the next row as a form; returns false at the end.
static int next_form(char *form) {
  if (!*rows) return 0;
  char *end = form + sprintf(form, "Text="), *last = end + 3 * LONGEST_TEXT;
  int is_quoted = *rows == '"';
  for (rows += is_quoted; *rows && end < last; rows++) {
    if (is_quoted && *rows == '"' && *++rows != '"') break;
    if (!is_quoted && (*rows == ',' || *rows == '\n')) break;
    unsigned char byte = *rows;
    if (byte == ' ') *end++ = '+';
    else if (byte < 0x80 && (strchr("-._~", byte) || (byte | 32) - 'a' < 26u || byte - '0' < 10u)) *end++ = byte;
    else end += sprintf(end, "%%%02X", byte);
  }
  *end = 0;
  rows += strcspn(rows, "\n");
  rows += *rows == '\n';
  return 1;
}

static void send_next(transfer *transfer) {
  if (!next_form(transfer->body)) return;
  curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE, (long)strlen(transfer->body));
  curl_multi_add_handle(multi, transfer->easy);
  under_way++;
}

static void act(curl_socket_t socket, int events) {
  int running, left;
  curl_multi_socket_action(multi, socket, events, &running);
  for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
    CURL *easy = message->easy_handle;
    long status = 0;
    transfer *transfer = NULL;
    if (message->data.result != CURLE_OK) fail(curl_easy_strerror(message->data.result));
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    if (status != 201) fail("a row failed");
    added++;
    under_way--;
    curl_multi_remove_handle(multi, easy);
    send_next(transfer);
  }
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) fail("cannot read the rows");
  long size = ftell(file);
  char *content = calloc(1, size + 1);
  rewind(file);
  if (fread(content, 1, size, file) != (size_t)size) fail("cannot read the rows");
  fclose(file);
  return content;
}

static void prepare(transfer *transfer, const char *address, struct curl_slist *fields) {
  CURL *easy = transfer->easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
  curl_easy_setopt(easy, CURLOPT_URL, address);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, transfer->body);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
}

int main(int count, char **arguments) {
  if (count != 4) fail("usage: import_curl ROWS ADDRESS IN-FLIGHT");
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  char authorization[1024] = "Authorization: Bearer ";
  memset(authorization + strlen(authorization), 'x', 800);
  struct curl_slist *fields = curl_slist_append(NULL, "Accept: application/json");
  fields = curl_slist_append(fields, authorization);
  static transfer transfers[MOST_IN_FLIGHT];
  int in_flight = atoi(arguments[3]) < MOST_IN_FLIGHT ? atoi(arguments[3]) : MOST_IN_FLIGHT;

  curl_global_init(CURL_GLOBAL_DEFAULT);
  rows = read_file(arguments[1]);
  rows += strcspn(rows, "\n") + 1;
  queue = epoll_create1(0);
  multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, wait_for);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, call_after);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)in_flight);
  for (int index = 0; index < in_flight; index++) {
    prepare(&transfers[index], arguments[2], fields);
    send_next(&transfers[index]);
  }
  while (under_way) {
    struct epoll_event events[MOST_EVENTS];
    int ready = epoll_wait(queue, events, MOST_EVENTS, timeout < 0 ? 100 : timeout);
    for (int index = 0; index < ready; index++) {
      int what = events[index].events;
      act(events[index].data.fd, (what & EPOLLIN ? CURL_CSELECT_IN : 0) | (what & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                                     (what & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0));
    }
    // New transfers begin at a timeout, which is now.
    act(CURL_SOCKET_TIMEOUT, 0);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%ld %f\n", added, end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9);
  return 0;
}
