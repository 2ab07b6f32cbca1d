#pragma once

// libqrencode, loaded when the first code is drawn.
//
// Why not linked: most runs draw no code. Without the library, addresses are shown without a drawing.

#if !__has_include(<qrencode.h>)
#error "libqrencode's header is missing; install the package libqrencode-dev"
#endif
#include <qrencode.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable cqrencode_load(void);

/// The smallest code for the text, with the lowest level of error correction: a screen has no scratches. Nil if the text is too
/// long. Free it with `cqrencode_free`.
QRcode *_Nullable cqrencode_encode(const char *_Nonnull text);
void cqrencode_free(QRcode *_Nonnull code);
