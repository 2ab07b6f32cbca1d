#include "window.h"

#include <string.h>

// The number of seconds before the window of the first page appears. Faster pages, such as redirects, are not seen.
static const guint seconds_to_first_page = 2;

static GtkWidget *window, *mark, *origin, *path, *state, *note;
static gboolean is_allowed, is_for_nobody;
static void (*closed)(void);

static gboolean on_delete(GtkWidget *widget, GdkEvent *event, gpointer data) {
    (void)event;
    (void)data;
    gtk_widget_hide(widget);
    closed();
    return TRUE;
}

static gboolean on_close_key(GtkAccelGroup *group, GObject *object, guint key, GdkModifierType modifier, gpointer data) {
    (void)group;
    (void)key;
    (void)modifier;
    (void)data;
    gtk_window_close(GTK_WINDOW(object));
    return TRUE;
}

static gboolean on_long_wait(gpointer data) {
    (void)data;
    if (is_allowed) gtk_widget_show(window);
    return G_SOURCE_REMOVE;
}

static GtkWidget *label(const char *text, GtkWidget *box) {
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_box_pack_start(GTK_BOX(box), label, FALSE, FALSE, 0);
    gtk_widget_show(label);
    return label;
}

static GtkWidget *row(GtkWidget *box) {
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    g_object_set(row, "margin-start", 10, "margin-end", 10, "margin-top", 6, "margin-bottom", 6, NULL);
    gtk_box_pack_start(GTK_BOX(box), row, FALSE, FALSE, 0);
    gtk_widget_show(row);
    return row;
}

static void wrap(GtkWidget *label) {
    gtk_label_set_line_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_line_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
}

/// Shows the origin of the page. The end of a host name tells who owns it, and the port follows it. Both are visible in
/// a window of any width; the rest of the address only if there is room.
static void make_address_row(GtkWidget *box) {
    GtkWidget *bar = row(box);
    mark = gtk_image_new();
    gtk_box_pack_start(GTK_BOX(bar), mark, FALSE, FALSE, 0);
    gtk_widget_show(mark);
    GtkWidget *parts = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_box_pack_start(GTK_BOX(bar), parts, TRUE, TRUE, 0);
    gtk_widget_show(parts);
    origin = label("", parts);
    gtk_label_set_ellipsize(GTK_LABEL(origin), PANGO_ELLIPSIZE_START);
    path = label("", parts);
    gtk_label_set_ellipsize(GTK_LABEL(path), PANGO_ELLIPSIZE_END);
    // The path requests almost no width and gets the width that the origin leaves.
    gtk_label_set_max_width_chars(GTK_LABEL(path), 1);
    gtk_box_set_child_packing(GTK_BOX(parts), path, TRUE, TRUE, 0, GTK_PACK_START);
}

/// Shows the state of the connection and the policy in words.
static void make_state_row(GtkWidget *box, const char *policy) {
    GtkWidget *bar = row(box);
    gtk_widget_set_margin_top(bar, 0);
    state = label("", bar);
    gtk_label_set_ellipsize(GTK_LABEL(state), PANGO_ELLIPSIZE_END);
    if (!policy) return;
    char *text = g_strdup_printf("policy %s", policy);
    GtkWidget *policy_label = gtk_label_new(text);
    gtk_label_set_ellipsize(GTK_LABEL(policy_label), PANGO_ELLIPSIZE_MIDDLE);
    gtk_box_pack_end(GTK_BOX(bar), policy_label, FALSE, FALSE, 0);
    gtk_widget_show(policy_label);
    g_free(text);
}

void window_make(
    GtkWidget *page, const char *policy, const char *code, gboolean stays_hidden, void (*on_close)(void)) {
    closed = on_close;
    is_for_nobody = stays_hidden;
    window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_window_set_default_size(GTK_WINDOW(window), 520, 720);
    gtk_window_set_title(GTK_WINDOW(window), "b2c-run");
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_container_add(GTK_CONTAINER(window), box);

    make_address_row(box);
    make_state_row(box, policy);
    if (code) {
        char *text = g_markup_printf_escaped("Enter this code: <b>%s</b>", code);
        GtkWidget *code_label = label(NULL, row(box));
        gtk_label_set_markup(GTK_LABEL(code_label), text);
        gtk_label_set_selectable(GTK_LABEL(code_label), TRUE);
        g_free(text);
    }
    GtkWidget *note_row = row(box);
    note = label("", note_row);
    wrap(note);
    gtk_widget_hide(note_row);

    // The line separates our texts from the page, so that a page cannot imitate them.
    GtkWidget *line = gtk_separator_new(GTK_ORIENTATION_HORIZONTAL);
    gtk_box_pack_start(GTK_BOX(box), line, FALSE, FALSE, 0);
    gtk_widget_show(line);
    gtk_box_pack_start(GTK_BOX(box), page, TRUE, TRUE, 0);
    gtk_widget_show(page);
    gtk_widget_show(box);
    gtk_widget_grab_focus(page);

    GtkAccelGroup *keys = gtk_accel_group_new();
    gtk_accel_group_connect(keys, GDK_KEY_w, GDK_CONTROL_MASK, 0, g_cclosure_new(G_CALLBACK(on_close_key), NULL, NULL));
    gtk_window_add_accel_group(GTK_WINDOW(window), keys);
    g_signal_connect(window, "delete-event", G_CALLBACK(on_delete), NULL);
    g_timeout_add_seconds(seconds_to_first_page, on_long_wait, NULL);
}

void window_allow(gboolean may_be_seen) {
    is_allowed = may_be_seen && !is_for_nobody;
    if (!is_allowed) gtk_widget_hide(window);
}

/// Shows the address with the origin in bold. The query is left out, because it has nothing for users.
static void set_address(const char *url) {
    size_t end = strcspn(url, "?#");
    const char *rest = strstr(url, "://");
    size_t start = rest ? (size_t)(rest - url) + 3 : 0;
    start += strcspn(url + start, "/?#");
    if (start > end) start = end;
    char *first = g_strndup(url, start), *second = g_strndup(url + start, end - start);
    char *text = g_markup_printf_escaped("<b>%s</b>", first);
    gtk_label_set_markup(GTK_LABEL(origin), text);
    gtk_label_set_text(GTK_LABEL(path), second);
    g_free(text);
    g_free(second);
    g_free(first);
}

static void set_state(const char *url, GTlsCertificate *certificate) {
    gboolean is_encrypted = g_str_has_prefix(url, "https:");
    gtk_image_set_from_icon_name(
        GTK_IMAGE(mark), is_encrypted ? "channel-secure-symbolic" : "channel-insecure-symbolic", GTK_ICON_SIZE_MENU);
    if (!is_encrypted) {
        gtk_label_set_text(GTK_LABEL(state), "not encrypted, on this machine");
        gtk_widget_set_tooltip_text(state, NULL);
        return;
    }
    gtk_label_set_text(GTK_LABEL(state), "encrypted");
    char *issuer = certificate ? g_tls_certificate_get_issuer_name(certificate) : NULL;
    char *text = issuer ? g_strdup_printf("The certificate was issued by %s", issuer) : NULL;
    gtk_widget_set_tooltip_text(state, text);
    g_free(text);
    g_free(issuer);
}

void window_load(const char *url) {
    gtk_window_set_title(GTK_WINDOW(window), "Loading … – b2c-run");
    gtk_widget_hide(gtk_widget_get_parent(note));
    if (!*gtk_label_get_text(GTK_LABEL(origin))) {
        set_address(url);
        gtk_label_set_text(GTK_LABEL(state), "loading");
    }
}

void window_show(const char *url, GTlsCertificate *certificate) {
    set_address(url);
    set_state(url, certificate);
    if (is_allowed) gtk_widget_show(window);
}

void window_settle(const char *title) {
    char *text = g_strdup_printf("%s – b2c-run", title && *title ? title : "A page without a title");
    gtk_window_set_title(GTK_WINDOW(window), text);
    g_free(text);
}

void window_note(const char *text) {
    gtk_label_set_text(GTK_LABEL(note), text);
    gtk_widget_show(gtk_widget_get_parent(note));
}
