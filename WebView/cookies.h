#pragma once

// The cookies of a session, which b2c-run stores. The engine would not keep session cookies, and single sign-on is
// based on session cookies.

#include <jansson.h>
#include <webkit2/webkit2.h>

/// Gives cookies to the view, then calls `done`.
void cookies_set(WebKitWebView *view, json_t *cookies, void (*done)(WebKitWebView *view));

/// Sends all cookies to b2c-run, then calls `done`.
void cookies_send(WebKitWebView *view, void (*done)(void));
