#pragma once

// libcurl, loaded when the first request is made.
//
// Why not linked: loading its 30-odd dependencies takes 3.7 ms, more than all else before a script runs, and most runs make
// no request. Why in C: Swift cannot call its four variadic functions, which have a typed wrapper for each argument type in
// use. The other functions are wrapped because a direct call would link the library.

#if !__has_include(<curl/curl.h>)
#error "libcurl's header is missing; install the package libcurl4-openssl-dev"
#endif
#include <curl/curl.h>
#include <stdbool.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable ccurl_load(void);

// curl_easy_setopt is variadic: one wrapper for each argument type.
CURLcode ccurl_set_long(CURL *_Nonnull easy, CURLoption option, long value);
CURLcode ccurl_set_large(CURL *_Nonnull easy, CURLoption option, curl_off_t value);
/// libcurl copies the string.
CURLcode ccurl_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable value);
/// libcurl copies the bytes; without bytes it forgets the ones it has.
CURLcode ccurl_set_blob(CURL *_Nonnull easy, CURLoption option, const void *_Nullable bytes, size_t size);
CURLcode ccurl_set_pointer(CURL *_Nonnull easy, CURLoption option, const void *_Nullable value);
/// A callback for CURLOPT_WRITEFUNCTION or CURLOPT_HEADERFUNCTION.
typedef size_t (*ccurl_write)(char *_Nonnull bytes, size_t size, size_t count, void *_Nullable context);
CURLcode ccurl_set_write(CURL *_Nonnull easy, CURLoption option, ccurl_write _Nonnull callback);
/// A callback for CURLOPT_PREREQFUNCTION.
typedef int (*ccurl_before_request)(
    void *_Nullable context, char *_Nullable, char *_Nullable, int, int);
CURLcode ccurl_set_before_request(CURL *_Nonnull easy, ccurl_before_request _Nonnull callback);
/// A callback for CURLOPT_XFERINFOFUNCTION; unknown totals are 0.
typedef int (*ccurl_progress)(
    void *_Nullable context, curl_off_t to_receive, curl_off_t received, curl_off_t to_send, curl_off_t sent);
CURLcode ccurl_set_progress(CURL *_Nonnull easy, ccurl_progress _Nonnull callback);
/// A callback for CURLOPT_DEBUGFUNCTION, with its context. It sees the actions of a handle with CURLOPT_VERBOSE.
typedef int (*ccurl_debug)(
    CURL *_Nonnull easy, curl_infotype type, char *_Nonnull bytes, size_t count, void *_Nullable context);
CURLcode ccurl_set_debug(CURL *_Nonnull easy, ccurl_debug _Nonnull callback, void *_Nullable context);

// curl_easy_getinfo is variadic; zero or nil if there is no such information.
long ccurl_info_long(CURL *_Nonnull easy, CURLINFO info);
curl_off_t ccurl_info_large(CURL *_Nonnull easy, CURLINFO info);
/// Valid until the handle is used again.
const char *_Nullable ccurl_info_string(CURL *_Nonnull easy, CURLINFO info);
void *_Nullable ccurl_info_pointer(CURL *_Nonnull easy);
/// CURL_SOCKET_BAD if there is none.
curl_socket_t ccurl_info_socket(CURL *_Nonnull easy);

// curl_multi_setopt and curl_share_setopt are variadic.
CURLMcode ccurl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value);
CURLSHcode ccurl_share_set_long(CURLSH *_Nonnull share, CURLSHoption option, long value);

/// A callback with the events that a transfer waits for: CURL_POLL_IN, …_OUT, …_INOUT or …_REMOVE.
typedef int (*ccurl_socket_changed)(
    CURL *_Nonnull easy, curl_socket_t socket, int what, void *_Nullable context, void *_Nullable socket_context);
CURLMcode ccurl_multi_set_socket_function(
    CURLM *_Nonnull multi, ccurl_socket_changed _Nonnull callback, void *_Nullable context);
/// A callback with the milliseconds until a call of `ccurl_multi_socket_action` with CURL_SOCKET_TIMEOUT; -1 for never.
typedef int (*ccurl_timer_changed)(CURLM *_Nonnull multi, long milliseconds, void *_Nullable context);
CURLMcode ccurl_multi_set_timer_function(
    CURLM *_Nonnull multi, ccurl_timer_changed _Nonnull callback, void *_Nullable context);

// The rest, one to one.
CURL *_Nullable ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *_Nonnull easy);
const char *_Nonnull ccurl_easy_strerror(CURLcode code);
/// Both for handles with CURLOPT_CONNECT_ONLY; CURLE_AGAIN if the other side must act first.
CURLcode ccurl_easy_send(CURL *_Nonnull easy, const void *_Nonnull bytes, size_t count, size_t *_Nonnull sent);
CURLcode ccurl_easy_receive(CURL *_Nonnull easy, void *_Nonnull bytes, size_t count, size_t *_Nonnull received);
CURLM *_Nullable ccurl_multi_init(void);
CURLMcode ccurl_multi_add(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode ccurl_multi_remove(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode ccurl_multi_socket_action(CURLM *_Nonnull multi, curl_socket_t socket, int events);
/// The milliseconds until libcurl must be called; -1 for never.
long ccurl_multi_timeout(CURLM *_Nonnull multi);
/// The next transfer that ended, with its result in `code`; nil if there is none.
CURL *_Nullable ccurl_multi_next_done(CURLM *_Nonnull multi, CURLcode *_Nonnull code);
CURLSH *_Nullable ccurl_share_init(void);
CURLSHcode ccurl_share_cleanup(CURLSH *_Nonnull share);
struct curl_slist *_Nullable ccurl_slist_append(struct curl_slist *_Nullable list, const char *_Nonnull text);
void ccurl_slist_free(struct curl_slist *_Nullable list);
CURLU *_Nullable ccurl_url_init(void);
void ccurl_url_cleanup(CURLU *_Nonnull url);
CURLUcode ccurl_url_set(CURLU *_Nonnull url, CURLUPart part, const char *_Nullable text, unsigned int flags);
/// The text is freed with `ccurl_free`; nil if the part is missing.
char *_Nullable ccurl_url_get(CURLU *_Nonnull url, CURLUPart part, unsigned int flags);
void ccurl_free(void *_Nullable memory);
