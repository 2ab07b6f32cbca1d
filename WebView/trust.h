#pragma once

// Decides which servers are trusted.

#include <webkit2/webkit2.h>

/// Ends the trip at a certificate that is not trusted; the user cannot override this.
/// - Parameter ca_file: PEM certificates that are trusted besides the system's; NULL for none.
void trust_watch(WebKitWebView *view, const char *ca_file);
