#pragma once

// The page: an engine that stores nothing on disk, shows the allowed pages and refuses everything else.

#include <jansson.h>
#include <webkit2/webkit2.h>

/// - Parameter open: the first message, see pipe.h.
WebKitWebView *view_make(json_t *open);
