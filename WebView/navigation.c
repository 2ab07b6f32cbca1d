#include "navigation.h"

#include "pipe.h"
#include "window.h"

#include <libsoup/soup.h>
#include <string.h>

// A page may start any number of navigations at once; a user does not.
static const guint most_waiting = 32;

static GHashTable *waiting;
static json_int_t last_id;
static json_t *posted_fields;
static char *repeated;
static gboolean has_page;

void navigation_note_page(void) { has_page = TRUE; }

void navigation_set_fields(json_t *fields) {
    json_decref(posted_fields);
    posted_fields = json_incref(fields);
}

void navigation_repeat(WebKitWebView *view, const char *url) {
    g_free(repeated);
    repeated = g_strdup(url);
    webkit_web_view_load_uri(view, url);
}

static gboolean has_scheme(const char *url, const char *const *schemes) {
    char *scheme = g_uri_parse_scheme(url);
    gboolean is_one = scheme && g_strv_contains(schemes, scheme);
    g_free(scheme);
    return is_one;
}

static void ask(WebKitPolicyDecision *decision, WebKitNavigationAction *action, const char *url) {
    if (g_hash_table_size(waiting) >= most_waiting) {
        webkit_policy_decision_ignore(decision);
        return;
    }
    json_int_t id = ++last_id;
    gboolean is_redirected = webkit_navigation_action_is_redirect(action);
    json_t *message = json_pack(
        "{s:s, s:I, s:s, s:b, s:b}", "type", "navigation", "id", id, "url", url, "redirected", is_redirected, "by_person",
        !is_redirected && webkit_navigation_action_is_user_gesture(action));
    const char *method = webkit_uri_request_get_http_method(webkit_navigation_action_get_request(action));
    // The engine reports the method only for http, but the script also checks the method of the form.
    if (posted_fields && (!method || strcmp(method, "POST") == 0)) json_object_set(message, "fields", posted_fields);
    json_decref(posted_fields);
    posted_fields = NULL;
    if (!message) {
        webkit_policy_decision_ignore(decision);
        return;
    }
    g_hash_table_insert(waiting, GSIZE_TO_POINTER((gsize)id), g_object_ref(decision));
    window_load(url);
    pipe_send(message);
}

static void decide_on_navigation(WebKitPolicyDecision *decision) {
    WebKitNavigationAction *action =
        webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
    const char *url = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
    // Frames have these schemes if the page itself fills them.
    static const char *const inner[] = {"about", "data", "blob", NULL};
    if (has_scheme(url, inner)) {
        webkit_policy_decision_use(decision);
    } else if (repeated && strcmp(url, repeated) == 0) {
        g_clear_pointer(&repeated, g_free);
        webkit_policy_decision_use(decision);
    } else {
        ask(decision, action, url);
    }
}

/// There is only one window, so a link that would open a new window is loaded in it. New windows without a user's
/// action are refused.
static void decide_on_window(WebKitWebView *view, WebKitPolicyDecision *decision) {
    WebKitNavigationAction *action =
        webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
    if (webkit_navigation_action_is_user_gesture(action)) {
        webkit_web_view_load_request(view, webkit_navigation_action_get_request(action));
    } else {
        window_note("The page wanted to open another window, which was refused.");
    }
    webkit_policy_decision_ignore(decision);
}

static gboolean is_attachment(WebKitURIResponse *response) {
    SoupMessageHeaders *headers = webkit_uri_response_get_http_headers(response);
    char *disposition = NULL;
    if (!headers || !soup_message_headers_get_content_disposition(headers, &disposition, NULL)) return FALSE;
    gboolean is_attachment = g_ascii_strcasecmp(disposition, "attachment") == 0;
    g_free(disposition);
    return is_attachment;
}

static void decide_on_response(WebKitPolicyDecision *decision) {
    WebKitResponsePolicyDecision *response_decision = WEBKIT_RESPONSE_POLICY_DECISION(decision);
    WebKitURIResponse *response = webkit_response_policy_decision_get_response(response_decision);
    const char *url = webkit_uri_response_get_uri(response);
    gboolean is_main = webkit_response_policy_decision_is_main_frame_main_resource(response_decision);
    static const char *const pages[] = {"https", "http", "about", NULL};
    if (is_main && !has_scheme(url, pages)) {
        webkit_policy_decision_ignore(decision);
        return;
    }
    if (!is_attachment(response) && webkit_response_policy_decision_is_mime_type_supported(response_decision)) {
        webkit_policy_decision_use(decision);
        return;
    }
    webkit_policy_decision_ignore(decision);
    if (!is_main) return;
    if (!has_page) pipe_fail("page", url, "answered with a file to download, and not with a page");
    window_note("The page wanted to download a file, which was refused.");
}

static gboolean on_decide(WebKitWebView *view, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type) {
    switch (type) {
    case WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION: decide_on_navigation(decision); break;
    case WEBKIT_POLICY_DECISION_TYPE_NEW_WINDOW_ACTION: decide_on_window(view, decision); break;
    case WEBKIT_POLICY_DECISION_TYPE_RESPONSE: decide_on_response(decision); break;
    }
    return TRUE;
}

void navigation_watch(WebKitWebView *view) {
    waiting = g_hash_table_new_full(NULL, NULL, NULL, g_object_unref);
    g_signal_connect(view, "decide-policy", G_CALLBACK(on_decide), NULL);
}

void navigation_decide(json_t *message) {
    gpointer id = GSIZE_TO_POINTER((gsize)json_integer_value(json_object_get(message, "id")));
    WebKitPolicyDecision *decision = g_hash_table_lookup(waiting, id);
    if (!decision) return;
    const char *what = json_string_value(json_object_get(message, "decision"));
    if (g_strcmp0(what, "refuse") == 0) {
        webkit_policy_decision_ignore(decision);
        const char *why = json_string_value(json_object_get(message, "why"));
        if (why) window_note(why);
    } else {
        window_allow(g_strcmp0(what, "hide") != 0);
        webkit_policy_decision_use(decision);
    }
    g_hash_table_remove(waiting, id);
}
