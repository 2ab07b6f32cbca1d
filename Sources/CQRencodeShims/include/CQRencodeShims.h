#pragma once

// libqrencode, loaded when the first code is drawn.
//
// Why not linked: most runs draw none, and would load it at every start. Where it is missing there is no drawing.

#if !__has_include(<qrencode.h>)
#error "libqrencode's header is missing; install the package libqrencode-dev"
#endif
#include <qrencode.h>

/// Loads it, once and from any thread. Nil when it is there, else what the dynamic loader says.
const char *_Nullable cqrencode_load(void);

/// The smallest code for the text, with the lowest level of error correction, for a screen is not scratched. Nil when the
/// text is too long. To be freed with `cqrencode_free`. To be called after `cqrencode_load` returned nil.
QRcode *_Nullable cqrencode_encode(const char *_Nonnull text);
void cqrencode_free(QRcode *_Nonnull code);
