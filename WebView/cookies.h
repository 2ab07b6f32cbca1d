#pragma once

// The cookies of a session, which b2c-run keeps: the engine itself would keep none that end with the browser, and those
// are what a single sign-on is made of.

#include <jansson.h>
#include <webkit2/webkit2.h>

/// Puts cookies where the view finds them, then calls `done`.
void cookies_set(WebKitWebView *view, json_t *cookies, void (*done)(WebKitWebView *view));

/// Sends all cookies to b2c-run, then calls `done`.
void cookies_send(WebKitWebView *view, void (*done)(void));
