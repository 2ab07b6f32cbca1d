import Core
import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Testing

/// Redirect URIs of the tenant's applications: a URI that another program could read differently is refused.
@HostActor @Suite struct RedirectURITests {
  @Test(arguments: [
    ("http://127.0.0.1:8080/cb", true), ("http://localhost/", true), ("http://LOCALHOST:1/cb?x=y", true),
    ("http://[::1]:8080/a/../b", true), ("https://localhost:8443/cb", true), ("http://127.0.0.1", true),
    ("http://127.0.0.1?x=%2F", true), ("com.onmicrosoft.contoso.tasks://done", true),
    ("http://127.0.0.1\\.evil.example/", false), ("http://127.0.0.1/\\evil.example/", false),
    ("http:\\\\127.0.0.1/", false), ("http://127.0.0.1\\@evil.example/", false),
    ("http://127.0.0.1@evil.example/", false), ("http://user@127.0.0.1/", false),
    ("http://user:password@localhost/", false), ("http://127.0.0.1:80@evil.example/", false),
    ("http://127.0.0.1#@evil.example/", false), ("http://127.0.0.1/#x", false), ("http://127.0.0.1/ x", false),
    ("http://127.0.0.1/\t", false), ("http://127.0.0.1/\r\nSet-Cookie:x", false), ("http://127.0.0.1/\u{7f}", false),
    ("http://127.0.0.1/ä", false), ("http://127.0.0.1/%zz", false), ("http://127.0.0.1/%2", false),
    ("http://127.0.0.1/<script>", false), ("http://127.0.0.1.evil.example/", false),
    ("http://localhost.evil.example/", false), ("http://127.1/", false), ("http://2130706433/", false),
    ("http://0x7f000001/", false), ("http://[::ffff:127.0.0.1]/", false), ("http://[::1/", false),
    ("http://127.0.0.1:/", false), ("http://127.0.0.1:+80/", false), ("http://127.0.0.1:65536/", false),
    ("http:127.0.0.1/", false), ("http:///127.0.0.1/", false), ("//127.0.0.1/", false), ("127.0.0.1", false),
    ("1http://127.0.0.1/", false), ("javascript://127.0.0.1/%0Aalert(1)", false), ("", false),
  ])
  func whatIsOne(uri: String, isOne: Bool) async throws {
    let browser = try Browser.ofSharedTenant()
    let fields = browser.authorizationFields(["redirect_uri": uri, "prompt": "none"])
    try await browser.get("\(browser.base)/oauth2/v2.0/authorize?" + URLEncodedForm.encode(fields))
    // Without a session, prompt=none redirects to the URI if it is valid.
    let isSentThere = browser.response.headers["Location"]?.hasPrefix(uri) == true && !uri.isEmpty
    #expect(isSentThere == isOne, "\(browser.response.status)")
  }
}
