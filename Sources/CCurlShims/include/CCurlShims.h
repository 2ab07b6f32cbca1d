#pragma once

// libcurl, loaded when the first request is made.
//
// Why not linked: its 30-odd dependencies cost 3.7 ms of dynamic loading at every start, more than everything else the
// program does before a script runs, and most starts make no request. Why in C: four of its functions are variadic,
// which Swift cannot call; a typed wrapper stands here for each argument type in use. The others are wrapped because a
// direct call would link the library after all.

#if !__has_include(<curl/curl.h>)
#error "libcurl's header is missing; install the package libcurl4-openssl-dev"
#endif
#include <curl/curl.h>
#include <stdbool.h>

/// Loads libcurl, once and from any thread. Nil when it is there, else what the dynamic loader says. Every other function
/// here is called after this one returned nil.
const char *_Nullable ccurl_load(void);

// curl_easy_setopt is variadic; one wrapper an argument type.
CURLcode ccurl_set_long(CURL *_Nonnull easy, CURLoption option, long value);
CURLcode ccurl_set_large(CURL *_Nonnull easy, CURLoption option, curl_off_t value);
/// libcurl copies the string.
CURLcode ccurl_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable value);
CURLcode ccurl_set_pointer(CURL *_Nonnull easy, CURLoption option, const void *_Nullable value);
/// A callback for CURLOPT_WRITEFUNCTION or CURLOPT_HEADERFUNCTION.
typedef size_t (*ccurl_write)(char *_Nonnull bytes, size_t size, size_t count, void *_Nullable context);
CURLcode ccurl_set_write(CURL *_Nonnull easy, CURLoption option, ccurl_write _Nonnull callback);
/// A callback for CURLOPT_PREREQFUNCTION.
typedef int (*ccurl_before_request)(
    void *_Nullable context, char *_Nullable, char *_Nullable, int, int);
CURLcode ccurl_set_before_request(CURL *_Nonnull easy, ccurl_before_request _Nonnull callback);
/// A callback for CURLOPT_XFERINFOFUNCTION; totals are 0 where they are not known.
typedef int (*ccurl_progress)(
    void *_Nullable context, curl_off_t to_receive, curl_off_t received, curl_off_t to_send, curl_off_t sent);
CURLcode ccurl_set_progress(CURL *_Nonnull easy, ccurl_progress _Nonnull callback);
/// A callback for CURLOPT_DEBUGFUNCTION, with its context: told what a handle with CURLOPT_VERBOSE does.
typedef int (*ccurl_debug)(
    CURL *_Nonnull easy, curl_infotype type, char *_Nonnull bytes, size_t count, void *_Nullable context);
CURLcode ccurl_set_debug(CURL *_Nonnull easy, ccurl_debug _Nonnull callback, void *_Nullable context);

// curl_easy_getinfo is variadic; zero or nil when there is no such information.
long ccurl_info_long(CURL *_Nonnull easy, CURLINFO info);
curl_off_t ccurl_info_large(CURL *_Nonnull easy, CURLINFO info);
/// Until the handle is used again.
const char *_Nullable ccurl_info_string(CURL *_Nonnull easy, CURLINFO info);
void *_Nullable ccurl_info_pointer(CURL *_Nonnull easy);
/// CURL_SOCKET_BAD when there is none.
curl_socket_t ccurl_info_socket(CURL *_Nonnull easy);

// curl_multi_setopt and curl_share_setopt are variadic.
CURLMcode ccurl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value);
CURLSHcode ccurl_share_set_long(CURLSH *_Nonnull share, CURLSHoption option, long value);

/// Says what a transfer waits for: CURL_POLL_IN, …_OUT, …_INOUT or …_REMOVE.
typedef int (*ccurl_socket_changed)(
    CURL *_Nonnull easy, curl_socket_t socket, int what, void *_Nullable context, void *_Nullable socket_context);
CURLMcode ccurl_multi_set_socket_function(
    CURLM *_Nonnull multi, ccurl_socket_changed _Nonnull callback, void *_Nullable context);
/// Says after how many milliseconds to call `ccurl_multi_socket_action` with CURL_SOCKET_TIMEOUT; -1 for never.
typedef int (*ccurl_timer_changed)(CURLM *_Nonnull multi, long milliseconds, void *_Nullable context);
CURLMcode ccurl_multi_set_timer_function(
    CURLM *_Nonnull multi, ccurl_timer_changed _Nonnull callback, void *_Nullable context);

// The rest, one to one.
CURL *_Nullable ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *_Nonnull easy);
const char *_Nonnull ccurl_easy_strerror(CURLcode code);
/// Both for handles with CURLOPT_CONNECT_ONLY; CURLE_AGAIN when the other side has to do something first.
CURLcode ccurl_easy_send(CURL *_Nonnull easy, const void *_Nonnull bytes, size_t count, size_t *_Nonnull sent);
CURLcode ccurl_easy_receive(CURL *_Nonnull easy, void *_Nonnull bytes, size_t count, size_t *_Nonnull received);
CURLM *_Nullable ccurl_multi_init(void);
CURLMcode ccurl_multi_add(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode ccurl_multi_remove(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode ccurl_multi_socket_action(CURLM *_Nonnull multi, curl_socket_t socket, int events);
/// Milliseconds until libcurl wants to be called; -1 for never.
long ccurl_multi_timeout(CURLM *_Nonnull multi);
/// The next transfer that ended, nil when there is none; `code` is how.
CURL *_Nullable ccurl_multi_next_done(CURLM *_Nonnull multi, CURLcode *_Nonnull code);
CURLSH *_Nullable ccurl_share_init(void);
CURLSHcode ccurl_share_cleanup(CURLSH *_Nonnull share);
struct curl_slist *_Nullable ccurl_slist_append(struct curl_slist *_Nullable list, const char *_Nonnull text);
void ccurl_slist_free(struct curl_slist *_Nullable list);
CURLU *_Nullable ccurl_url_init(void);
void ccurl_url_cleanup(CURLU *_Nonnull url);
CURLUcode ccurl_url_set(CURLU *_Nonnull url, CURLUPart part, const char *_Nullable text, unsigned int flags);
/// The text is freed with `ccurl_free`; nil when the part is missing.
char *_Nullable ccurl_url_get(CURLU *_Nonnull url, CURLUPart part, unsigned int flags);
void ccurl_free(void *_Nullable memory);
