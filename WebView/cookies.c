#include "cookies.h"

#include "pipe.h"

#include <libsoup/soup.h>

typedef struct {
    WebKitWebView *view;
    void (*done)(WebKitWebView *view);
} setting;

static WebKitCookieManager *manager(WebKitWebView *view) {
    return webkit_website_data_manager_get_cookie_manager(
        webkit_web_context_get_website_data_manager(webkit_web_view_get_context(view)));
}

static SoupCookie *cookie(json_t *from) {
    const char *name, *value, *domain, *path;
    int is_secure, is_http_only, same_site;
    json_int_t expires = 0;
    if (json_unpack(
            from, "{s:s, s:s, s:s, s:s, s:b, s:b, s:i, s?I}", "name", &name, "value", &value, "domain", &domain, "path",
            &path, "secure", &is_secure, "http_only", &is_http_only, "same_site", &same_site, "expires", &expires))
        return NULL;
    SoupCookie *cookie = soup_cookie_new(name, value, domain, path, -1);
    soup_cookie_set_secure(cookie, is_secure);
    soup_cookie_set_http_only(cookie, is_http_only);
    soup_cookie_set_same_site_policy(cookie, same_site);
    if (expires) {
        GDateTime *date = g_date_time_new_from_unix_utc(expires);
        soup_cookie_set_expires(cookie, date);
        g_date_time_unref(date);
    }
    return cookie;
}

static json_t *description(SoupCookie *cookie) {
    json_t *description = json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:b, s:i}", "name", soup_cookie_get_name(cookie), "value",
        soup_cookie_get_value(cookie), "domain", soup_cookie_get_domain(cookie), "path", soup_cookie_get_path(cookie),
        "secure", soup_cookie_get_secure(cookie), "http_only", soup_cookie_get_http_only(cookie), "same_site",
        (int)soup_cookie_get_same_site_policy(cookie));
    GDateTime *expires = soup_cookie_get_expires(cookie);
    if (expires) json_object_set_new(description, "expires", json_integer(g_date_time_to_unix(expires)));
    return description;
}

static void on_set(GObject *source, GAsyncResult *result, gpointer data) {
    setting *setting = data;
    webkit_cookie_manager_replace_cookies_finish(WEBKIT_COOKIE_MANAGER(source), result, NULL);
    setting->done(setting->view);
    g_free(setting);
}

void cookies_set(WebKitWebView *view, json_t *cookies, void (*done)(WebKitWebView *view)) {
    GList *list = NULL;
    size_t index;
    json_t *from;
    json_array_foreach(cookies, index, from) {
        SoupCookie *one = cookie(from);
        if (one) list = g_list_prepend(list, one);
    }
    if (!list) {
        done(view);
        return;
    }
    setting *setting = g_new(typeof(*setting), 1);
    setting->view = view;
    setting->done = done;
    webkit_cookie_manager_replace_cookies(manager(view), list, NULL, on_set, setting);
    g_list_free_full(list, (GDestroyNotify)soup_cookie_free);
}

static void on_got(GObject *source, GAsyncResult *result, gpointer done) {
    GList *list = webkit_cookie_manager_get_all_cookies_finish(WEBKIT_COOKIE_MANAGER(source), result, NULL);
    json_t *cookies = json_array();
    for (GList *item = list; item; item = item->next) {
        json_t *one = description(item->data);
        if (one) json_array_append_new(cookies, one);
    }
    g_list_free_full(list, (GDestroyNotify)soup_cookie_free);
    pipe_send(json_pack("{s:s, s:o}", "type", "cookies", "cookies", cookies));
    ((void (*)(void))done)();
}

void cookies_send(WebKitWebView *view, void (*done)(void)) {
    webkit_cookie_manager_get_all_cookies(manager(view), NULL, on_got, (gpointer)done);
}
