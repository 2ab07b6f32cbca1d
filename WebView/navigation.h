#pragma once

// Navigations of the page: b2c-run decides about them, and this module carries out the decisions.

#include <jansson.h>
#include <webkit2/webkit2.h>

/// Asks b2c-run about every navigation of this view.
void navigation_watch(WebKitWebView *view);

/// Carries out a decision of b2c-run.
void navigation_decide(json_t *message);

/// Stores the fields of a form that is posted to the redirect URI, as reported by the script in the page.
void navigation_set_fields(json_t *fields);

/// Allows the next navigation to this address, because b2c-run has decided about it before.
void navigation_repeat(WebKitWebView *view, const char *url);

/// Notes that a page has been shown. Before the first page, a refusal would leave the user with an empty window.
void navigation_note_page(void);
