#include "trust.h"

#include "navigation.h"
#include "pipe.h"

static GTlsDatabase *authorities;

static const char *reason(GTlsCertificateFlags errors) {
    if (errors & G_TLS_CERTIFICATE_BAD_IDENTITY) return "it is for another name";
    if (errors & G_TLS_CERTIFICATE_EXPIRED) return "it has expired";
    if (errors & G_TLS_CERTIFICATE_NOT_ACTIVATED) return "it is not yet valid";
    if (errors & G_TLS_CERTIFICATE_REVOKED) return "it was revoked";
    if (errors & G_TLS_CERTIFICATE_UNKNOWN_CA) return "its issuer is not known";
    if (errors & G_TLS_CERTIFICATE_INSECURE) return "it is signed in a way that is no longer safe";
    return "it is not valid";
}

/// Returns the errors of the certificate when checked against the authorities of the file.
static GTlsCertificateFlags verify(GTlsCertificate *certificate, GUri *url) {
    int port = g_uri_get_port(url);
    GSocketConnectable *identity = g_network_address_new(g_uri_get_host(url), port > 0 ? port : 443);
    GError *error = NULL;
    GTlsCertificateFlags errors = g_tls_database_verify_chain(
        authorities, certificate, G_TLS_DATABASE_PURPOSE_AUTHENTICATE_SERVER, identity, NULL,
        G_TLS_DATABASE_VERIFY_NONE, NULL, &error);
    g_object_unref(identity);
    if (error) errors |= G_TLS_CERTIFICATE_GENERIC_ERROR;
    g_clear_error(&error);
    return errors;
}

/// The engine knows only the authorities of the system. When it refuses a certificate, this function checks the
/// certificate against the authorities of the file. If it is valid, the engine accepts this certificate for this host
/// and loads the page again.
static gboolean on_untrusted(WebKitWebView *view, const char *text, GTlsCertificate *certificate,
                             GTlsCertificateFlags errors) {
    GUri *url = g_uri_parse(text, G_URI_FLAGS_NONE, NULL);
    if (authorities && url && (errors = verify(certificate, url)) == 0) {
        webkit_web_context_allow_tls_certificate_for_host(
            webkit_web_view_get_context(view), certificate, g_uri_get_host(url));
        navigation_repeat(view, text);
    } else {
        pipe_fail("certificate", text, reason(errors));
    }
    if (url) g_uri_unref(url);
    return TRUE;
}

void trust_watch(WebKitWebView *view, const char *ca_file) {
    WebKitWebsiteDataManager *data = webkit_web_context_get_website_data_manager(webkit_web_view_get_context(view));
    webkit_website_data_manager_set_tls_errors_policy(data, WEBKIT_TLS_ERRORS_POLICY_FAIL);
    // With an unreadable file no further certificate is trusted. b2c-run has checked the file before.
    if (ca_file) authorities = g_tls_file_database_new(ca_file, NULL);
    g_signal_connect(view, "load-failed-with-tls-errors", G_CALLBACK(on_untrusted), NULL);
}
