#include "CCurlShims.h"

#define LAZY_LIBRARY curl
#define LAZY_LOAD ccurl_load
#define LAZY_FILES "libcurl.so.4"
#define LAZY_PREFIX curl_
#define LAZY_READY initialize
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(global_init) X(easy_init) X(easy_cleanup) X(easy_setopt) X(easy_getinfo) X(easy_strerror) X(easy_send)             \
  X(easy_recv) X(multi_init) X(multi_setopt) X(multi_add_handle) X(multi_remove_handle) X(multi_socket_action)         \
  X(multi_timeout) X(multi_info_read) X(share_init) X(share_setopt) X(share_cleanup) X(slist_append)                   \
  X(slist_free_all) X(url) X(url_cleanup) X(url_set) X(url_get) X(free)
#include "lazy_library.h"

static const char *initialize(void) {
  return curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? NULL : "libcurl does not initialize";
}

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) { return curl.easy_setopt(easy, option, value); }

CURLcode ccurl_set_large(CURL *easy, CURLoption option, curl_off_t value) {
  return curl.easy_setopt(easy, option, value);
}

CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl.easy_setopt(easy, option, value);
}

CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return curl.easy_setopt(easy, option, value);
}

CURLcode ccurl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t size) {
  struct curl_blob blob = {(void *)bytes, size, CURL_BLOB_COPY};
  return curl.easy_setopt(easy, option, bytes ? &blob : NULL);
}

CURLcode ccurl_set_write(CURL *easy, CURLoption option, ccurl_write callback) {
  return curl.easy_setopt(easy, option, callback);
}

CURLcode ccurl_set_before_request(CURL *easy, ccurl_before_request callback) {
  return curl.easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

CURLcode ccurl_set_progress(CURL *easy, ccurl_progress callback) {
  return curl.easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, callback);
}

CURLcode ccurl_set_debug(CURL *easy, ccurl_debug callback, void *context) {
  CURLcode code = curl.easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
  return code == CURLE_OK ? curl.easy_setopt(easy, CURLOPT_DEBUGDATA, context) : code;
}

long ccurl_info_long(CURL *easy, CURLINFO info) {
  long value = 0;
  curl.easy_getinfo(easy, info, &value);
  return value;
}

curl_off_t ccurl_info_large(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  curl.easy_getinfo(easy, info, &value);
  return value;
}

const char *ccurl_info_string(CURL *easy, CURLINFO info) {
  const char *value = NULL;
  curl.easy_getinfo(easy, info, &value);
  return value;
}

void *ccurl_info_pointer(CURL *easy) {
  void *value = NULL;
  curl.easy_getinfo(easy, CURLINFO_PRIVATE, &value);
  return value;
}

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl.multi_setopt(multi, option, value);
}

CURLSHcode ccurl_share_set_long(CURLSH *share, CURLSHoption option, long value) {
  // The argument's type is int for the options in use here.
  return curl.share_setopt(share, option, (int)value);
}

curl_socket_t ccurl_info_socket(CURL *easy) {
  curl_socket_t value = CURL_SOCKET_BAD;
  return curl.easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &value) == CURLE_OK ? value : CURL_SOCKET_BAD;
}

CURLcode ccurl_easy_send(CURL *easy, const void *bytes, size_t count, size_t *sent) {
  return curl.easy_send(easy, bytes, count, sent);
}

CURLcode ccurl_easy_receive(CURL *easy, void *bytes, size_t count, size_t *received) {
  return curl.easy_recv(easy, bytes, count, received);
}

CURL *ccurl_easy_init(void) { return curl.easy_init(); }
void ccurl_easy_cleanup(CURL *easy) { curl.easy_cleanup(easy); }
const char *ccurl_easy_strerror(CURLcode code) { return curl.easy_strerror(code); }
CURLM *ccurl_multi_init(void) { return curl.multi_init(); }
CURLMcode ccurl_multi_add(CURLM *multi, CURL *easy) { return curl.multi_add_handle(multi, easy); }
CURLMcode ccurl_multi_remove(CURLM *multi, CURL *easy) { return curl.multi_remove_handle(multi, easy); }

CURLMcode ccurl_multi_set_socket_function(CURLM *multi, ccurl_socket_changed callback, void *context) {
  CURLMcode code = curl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
  return code == CURLM_OK ? curl.multi_setopt(multi, CURLMOPT_SOCKETDATA, context) : code;
}

CURLMcode ccurl_multi_set_timer_function(CURLM *multi, ccurl_timer_changed callback, void *context) {
  CURLMcode code = curl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
  return code == CURLM_OK ? curl.multi_setopt(multi, CURLMOPT_TIMERDATA, context) : code;
}

CURLMcode ccurl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events) {
  int running = 0;
  return curl.multi_socket_action(multi, socket, events, &running);
}

long ccurl_multi_timeout(CURLM *multi) {
  long milliseconds = -1;
  return curl.multi_timeout(multi, &milliseconds) == CURLM_OK ? milliseconds : -1;
}

CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *code) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl.multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

CURLSH *ccurl_share_init(void) { return curl.share_init(); }
CURLSHcode ccurl_share_cleanup(CURLSH *share) { return curl.share_cleanup(share); }

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text) {
  return curl.slist_append(list, text);
}

void ccurl_slist_free(struct curl_slist *list) { curl.slist_free_all(list); }
CURLU *ccurl_url_init(void) { return curl.url(); }
void ccurl_url_cleanup(CURLU *url) { curl.url_cleanup(url); }

CURLUcode ccurl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags) {
  return curl.url_set(url, part, text, flags);
}

char *ccurl_url_get(CURLU *url, CURLUPart part, unsigned int flags) {
  char *text = NULL;
  return curl.url_get(url, part, &text, flags) == CURLUE_OK ? text : NULL;
}

void ccurl_free(void *memory) { curl.free(memory); }
