#pragma once

// Whom a page is trusted to come from.

#include <webkit2/webkit2.h>

/// A certificate that is not trusted ends the trip; there is no way to go on regardless.
/// - Parameter ca_file: PEM certificates that are trusted besides the system's; NULL for none.
void trust_watch(WebKitWebView *view, const char *ca_file);
