#pragma once

// The window: what the person sees around the page.

#include <gtk/gtk.h>

/// Makes the window, hidden, around the page's widget.
/// - Parameters:
///   - policy: the one that the first page is of; NULL for none.
///   - code: what the person is to enter in the page; NULL for nothing.
///   - stays_hidden: for a trip without a person.
///   - on_close: called when the person closes it.
void window_make(
    GtkWidget *page, const char *policy, const char *code, gboolean stays_hidden, void (*on_close)(void));

/// Whether a page may be seen. One that may not is loaded all the same.
void window_allow(gboolean may_be_seen);

/// A page begins to load.
void window_load(const char *url);

/// What is loaded now can be seen: its address, and, over TLS, who vouches for it.
void window_show(const char *url, GTlsCertificate *certificate);

/// It is there as a whole.
void window_settle(const char *title);

/// A sentence above the page, until the next one loads.
void window_note(const char *note);
