#pragma once

// The window: everything the user sees around the page.

#include <gtk/gtk.h>

/// Makes the window, hidden, around the page's widget.
/// - Parameters:
///   - policy: the policy of the first page; NULL for none.
///   - code: the code that the user enters in the page; NULL for none.
///   - stays_hidden: true for a trip without a user.
///   - on_close: called when the user closes the window.
void window_make(
    GtkWidget *page, const char *policy, const char *code, gboolean stays_hidden, void (*on_close)(void));

/// Sets whether the page may be seen. A hidden page is loaded all the same.
void window_allow(gboolean may_be_seen);

/// Notes that a page begins to load.
void window_load(const char *url);

/// Shows the address of the page and, over TLS, the authority of its certificate.
void window_show(const char *url, GTlsCertificate *certificate);

/// Notes that the page is complete.
void window_settle(const char *title);

/// Shows a sentence above the page until the next page loads.
void window_note(const char *note);
