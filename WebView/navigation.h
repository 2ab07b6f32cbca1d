#pragma once

// Where the page wants to go, and whether it may: b2c-run decides, and this carries it out.

#include <jansson.h>
#include <webkit2/webkit2.h>

/// Asks b2c-run about every navigation of this view.
void navigation_watch(WebKitWebView *view);

/// Its answer.
void navigation_decide(json_t *message);

/// What a form on its way to the redirect URI has in it, from the script in the page.
void navigation_set_fields(json_t *fields);

/// The next navigation to this address is one that was decided on before.
void navigation_repeat(WebKitWebView *view, const char *url);

/// Whether a page has ever been shown; before, a refusal would leave the person with nothing.
void navigation_note_page(void);
