#pragma once

// The page: an engine that keeps nothing on the disk, shows what it is told to, and refuses the rest.

#include <jansson.h>
#include <webkit2/webkit2.h>

/// - Parameter open: the first message, see pipe.h.
WebKitWebView *view_make(json_t *open);
