// b2c-webview: the window of the agent "webview". It is a separate program, so that b2c-run needs neither GTK nor
// WebKit.
//
// It is written in C, because Swift cannot import the variable arguments, cast macros and signals of GTK and WebKitGTK.
// A C layer between them would be most of the program.

#include "cookies.h"
#include "navigation.h"
#include "pipe.h"
#include "view.h"
#include "window.h"

#include <gtk/gtk.h>
#include <sys/resource.h>

static WebKitWebView *view;
static char *start;

static void on_close(void) { pipe_send(json_pack("{s:s}", "type", "closed")); }

static void go(WebKitWebView *in) { webkit_web_view_load_uri(in, start); }

static void open_view(json_t *message) {
    view = view_make(message);
    window_make(
        GTK_WIDGET(view), json_string_value(json_object_get(message, "policy")),
        json_string_value(json_object_get(message, "code")),
        json_is_true(json_object_get(message, "hidden")), on_close);
    start = g_strdup(json_string_value(json_object_get(message, "url")));
    cookies_set(view, json_object_get(message, "cookies"), go);
}

static void on_message(const char *type, json_t *message) {
    if (g_str_equal(type, "open") && !view) open_view(message);
    if (!view) return;
    if (g_str_equal(type, "decision")) navigation_decide(message);
    if (g_str_equal(type, "finish")) cookies_send(view, gtk_main_quit);
}

/// Removes environment variables that give access to the window, such as a port or a key for developer tools.
static void forget_tools(void) {
    static const char *const tools[] = {"WEBKIT_INSPECTOR_SERVER", "WEBKIT_INSPECTOR_HTTP_SERVER", "GTK_DEBUG",
                                        "GTK_MODULES", NULL};
    for (const char *const *tool = tools; *tool; ++tool) g_unsetenv(*tool);
}

/// Xvfb, as started by `xvfb-run`, restarts when its last window is closed. The previous window may have been the last
/// one, so the display gets a second to restart.
static gboolean open_display(int *count, char ***arguments) {
    for (int tries = 20; tries > 0; --tries) {
        if (gtk_init_check(count, arguments)) return TRUE;
        if (!g_getenv("DISPLAY")) return FALSE;
        g_usleep(50 * 1000);
    }
    return FALSE;
}

int main(int count, char **arguments) {
    // Users type passwords in this process, so it writes no core dumps.
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    forget_tools();
    g_set_prgname("b2c-webview");
    pipe_start(on_message);
    if (!open_display(&count, &arguments)) {
        pipe_fail("no_display", NULL, "the display cannot be opened");
        return 1;
    }
    gtk_main();
    return 0;
}
