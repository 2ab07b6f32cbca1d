#include "view.h"

#include "navigation.h"
#include "pipe.h"
#include "trust.h"
#include "window.h"

static gboolean is_drawn;
/// True if the title of the current page has been sent.
static gboolean is_told;

/// The status of the page's response; 0 for a page not loaded over HTTP.
static int status_of(WebKitWebView *view) {
    WebKitWebResource *page = webkit_web_view_get_main_resource(view);
    WebKitURIResponse *answer = page ? webkit_web_resource_get_response(page) : NULL;
    return answer ? (int)webkit_uri_response_get_status_code(answer) : 0;
}

/// Sends the title of the page once it exists. The title may come after the page.
static void tell_title(WebKitWebView *view) {
    const char *title = webkit_web_view_get_title(view);
    if (is_told || !title || !*title) return;
    is_told = TRUE;
    pipe_send(json_pack(
        "{s:s, s:s?, s:s, s:i}", "type", "titled", "url", webkit_web_view_get_uri(view), "title", title, "status",
        status_of(view)));
}

static void on_drawn(GObject *source, GAsyncResult *result, gpointer data) {
    (void)data;
    WebKitWebView *view = WEBKIT_WEB_VIEW(source);
    JSCValue *value = webkit_web_view_call_async_javascript_function_finish(view, result, NULL);
    // The page was left before the script ended.
    if (!value) return;
    g_object_unref(value);
    is_drawn = TRUE;
    window_settle(webkit_web_view_get_title(view));
    tell_title(view);
}

/// Reports a loaded page as ready once it is drawn, because its first field gets the keyboard input only then.
static void wait_until_drawn(WebKitWebView *view) {
    static const char function[] = "return new Promise(requestAnimationFrame)";
    webkit_web_view_call_async_javascript_function(view, function, -1, NULL, "b2c-run", NULL, NULL, on_drawn, NULL);
}

static void on_load(WebKitWebView *view, WebKitLoadEvent event) {
    const char *url = webkit_web_view_get_uri(view);
    GTlsCertificate *certificate = NULL;
    GTlsCertificateFlags errors = 0;
    switch (event) {
    case WEBKIT_LOAD_COMMITTED:
        is_drawn = FALSE;
        is_told = FALSE;
        navigation_note_page();
        webkit_web_view_get_tls_info(view, &certificate, &errors);
        window_show(url, certificate);
        break;
    case WEBKIT_LOAD_FINISHED:
        wait_until_drawn(view);
        pipe_send(json_pack("{s:s, s:s?}", "type", "loaded", "url", url));
        break;
    default: break;
    }
}

/// Pages may change their title.
static void on_title(WebKitWebView *view) {
    if (!is_drawn) return;
    window_settle(webkit_web_view_get_title(view));
    tell_title(view);
}

/// Ends the trip after an error. A load that was cancelled here or by the next navigation is no error.
static gboolean on_load_failed(WebKitWebView *view, WebKitLoadEvent event, const char *url, GError *error) {
    (void)event;
    gboolean was_stopped = g_error_matches(error, WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_CANCELLED)
        || g_error_matches(error, WEBKIT_POLICY_ERROR, WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE);
    if (was_stopped) {
        window_settle(webkit_web_view_get_title(view));
    } else {
        pipe_fail("page", url, error->message);
    }
    return TRUE;
}

static void on_process_ended(WebKitWebView *view, WebKitWebProcessTerminationReason reason) {
    pipe_fail(
        "engine", webkit_web_view_get_uri(view),
        reason == WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT ? "it needed too much memory" : "it crashed");
}

/// Closes the dialogs of pages: messages are ignored, and questions are answered with no. Only the question before
/// a page is left is answered with yes.
static gboolean on_dialog(WebKitWebView *view, WebKitScriptDialog *dialog) {
    (void)view;
    if (webkit_script_dialog_get_dialog_type(dialog) == WEBKIT_SCRIPT_DIALOG_BEFORE_UNLOAD_CONFIRM)
        webkit_script_dialog_confirm_set_confirmed(dialog, TRUE);
    return TRUE;
}

static gboolean on_permission(WebKitWebView *view, WebKitPermissionRequest *request) {
    (void)view;
    webkit_permission_request_deny(request);
    return TRUE;
}

/// A server that asks for a certificate of the client gets none, and decides. A dialog for a password is not shown.
static gboolean on_authenticate(WebKitWebView *view, WebKitAuthenticationRequest *request) {
    (void)view;
    if (webkit_authentication_request_get_scheme(request) ==
        WEBKIT_AUTHENTICATION_SCHEME_CLIENT_CERTIFICATE_REQUESTED)
        webkit_authentication_request_authenticate(request, NULL);
    else
        webkit_authentication_request_cancel(request);
    return TRUE;
}

static gboolean on_file_chooser(WebKitWebView *view, WebKitFileChooserRequest *request) {
    (void)view;
    webkit_file_chooser_request_cancel(request);
    return TRUE;
}

/// Refuses printing, notifications and other requests that would open something.
static gboolean refuse(void) { return TRUE; }

static gboolean on_menu(WebKitWebView *view, WebKitContextMenu *menu) {
    (void)view;
    GList *item = webkit_context_menu_get_items(menu);
    while (item) {
        WebKitContextMenuItem *this = item->data;
        item = item->next;
        switch (webkit_context_menu_item_get_stock_action(this)) {
        case WEBKIT_CONTEXT_MENU_ACTION_COPY:
        case WEBKIT_CONTEXT_MENU_ACTION_CUT:
        case WEBKIT_CONTEXT_MENU_ACTION_PASTE:
        case WEBKIT_CONTEXT_MENU_ACTION_DELETE:
        case WEBKIT_CONTEXT_MENU_ACTION_SELECT_ALL:
        case WEBKIT_CONTEXT_MENU_ACTION_GO_BACK:
        case WEBKIT_CONTEXT_MENU_ACTION_GO_FORWARD:
        case WEBKIT_CONTEXT_MENU_ACTION_RELOAD: break;
        default: webkit_context_menu_remove(menu, this);
        }
    }
    return webkit_context_menu_get_n_items(menu) == 0;
}

static void on_download(WebKitWebContext *context, WebKitDownload *download) {
    (void)context;
    webkit_download_cancel(download);
}

static WebKitSettings *settings(void) {
    return webkit_settings_new_with_settings(
        // Forms and text need no graphics processor.
        "hardware-acceleration-policy", WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER, "enable-webgl", FALSE,
        "enable-webaudio", FALSE, "enable-mediasource", FALSE, "enable-media-stream", FALSE, "enable-webrtc", FALSE,
        "enable-encrypted-media", FALSE, "enable-fullscreen", FALSE, "enable-developer-extras", FALSE,
        "enable-dns-prefetching", FALSE, "javascript-can-open-windows-automatically", FALSE,
        "javascript-can-access-clipboard", FALSE, NULL);
}

static void on_answer(WebKitUserContentManager *manager, WebKitJavascriptResult *result) {
    (void)manager;
    char *text = jsc_value_to_string(webkit_javascript_result_get_js_value(result));
    json_t *fields = json_loads(text, 0, NULL);
    if (json_is_array(fields)) navigation_set_fields(fields);
    json_decref(fields);
    g_free(text);
}

/// Installs our script in a JavaScript world that the page's scripts cannot reach.
static WebKitUserContentManager *content_manager(const char *redirect_uri) {
    static const char world[] = "b2c-run", script[] = {
#include "answer.js.inc"
        0};
    WebKitUserContentManager *manager = webkit_user_content_manager_new();
    if (!redirect_uri) return manager;
    json_t *text = json_string(redirect_uri);
    char *literal = json_dumps(text, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    json_decref(text);
    char *source = g_strdup_printf("(%s)(%s);", script, literal);
    free(literal);
    WebKitUserScript *user_script = webkit_user_script_new_for_world(
        source, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, world, NULL, NULL);
    g_signal_connect(manager, "script-message-received::answer", G_CALLBACK(on_answer), NULL);
    webkit_user_content_manager_register_script_message_handler_in_world(manager, "answer", world);
    webkit_user_content_manager_add_script(manager, user_script);
    webkit_user_script_unref(user_script);
    g_free(source);
    return manager;
}

WebKitWebView *view_make(json_t *open) {
    WebKitWebContext *context = webkit_web_context_new_ephemeral();
    g_signal_connect(context, "download-started", G_CALLBACK(on_download), NULL);
    // Pages must not choose which dictionaries are loaded.
    webkit_web_context_set_spell_checking_enabled(context, FALSE);
    WebKitWebView *view = g_object_new(
        WEBKIT_TYPE_WEB_VIEW, "web-context", context, "settings", settings(), "user-content-manager",
        content_manager(json_string_value(json_object_get(open, "redirect_uri"))), NULL);
    trust_watch(view, json_string_value(json_object_get(open, "ca_file")));
    navigation_watch(view);
    g_signal_connect(view, "load-changed", G_CALLBACK(on_load), NULL);
    g_signal_connect(view, "notify::title", G_CALLBACK(on_title), NULL);
    g_signal_connect(view, "load-failed", G_CALLBACK(on_load_failed), NULL);
    g_signal_connect(view, "web-process-terminated", G_CALLBACK(on_process_ended), NULL);
    g_signal_connect(view, "script-dialog", G_CALLBACK(on_dialog), NULL);
    g_signal_connect(view, "permission-request", G_CALLBACK(on_permission), NULL);
    g_signal_connect(view, "authenticate", G_CALLBACK(on_authenticate), NULL);
    g_signal_connect(view, "run-file-chooser", G_CALLBACK(on_file_chooser), NULL);
    g_signal_connect(view, "context-menu", G_CALLBACK(on_menu), NULL);
    for (const char *const *signal = (const char *const[]){"print", "show-notification", "run-color-chooser", NULL};
         *signal; ++signal)
        g_signal_connect(view, *signal, G_CALLBACK(refuse), NULL);
    return view;
}
