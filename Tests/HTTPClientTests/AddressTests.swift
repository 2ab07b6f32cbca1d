import HTTPClient
import Testing

@Suite struct AddressTests {
  @Test(
    arguments: [
      ("http://example.com", "http://example.com:80"), ("HTTPS://Example.COM/a?b#c", "https://example.com:443"),
      ("https://example.com:8443", "https://example.com:8443"), ("http://[::1]:80/", "http://[::1]:80"),
      ("http://user:password@h/", "http://h:80"),
    ])
  func anOriginIsSchemeHostAndPort(url: String, expected: String) {
    #expect(Origin(url)?.description == expected)
  }

  @Test(arguments: [
    "", "example.com", "/path", "ftp://h", "http:h", "http://", "http://h:0x50", "https://h/ x", "http://a b",
  ])
  func othersHaveNone(url: String) { #expect(Origin(url) == nil) }

  @Test func equalWhatEverTheSpelling() {
    #expect(Origin("https://H/a") == Origin("https://h:443/b"))
    #expect(Origin("https://h") != Origin("http://h"))
    #expect(Origin("https://h") != Origin("https://h:444"))
  }

  @Test(
    arguments: [
      ("http://localhost", true), ("http://LOCALHOST:1", true), ("http://127.0.0.1", true), ("http://127.9.9.9", true),
      ("http://[::1]", true), ("http://b2c.localhost", true), ("http://xlocalhost", false),
      ("http://127.0.0.1.example.com", false), ("http://localhost.example.com", false),
      ("http://128.0.0.1", false), ("http://127.example", false), ("http://user@127.0.0.1@example.com", false),
    ])
  func knowsThisMachine(url: String, expected: Bool) { #expect((Origin(url)?.isLoopback ?? false) == expected) }

  @Test(
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("/g", "http://a/g"), ("//g", "http://g/"),
      ("?y", "http://a/b/c/d;p?y"), ("g?y#s", "http://a/b/c/g?y#s"), ("../g", "http://a/b/g"),
      ("../../../g", "http://a/g"),
      ("", "http://a/b/c/d;p?q"), ("https://x/y", "https://x/y"), ("#s", "http://a/b/c/d;p?q#s"),
      ("grün", "http://a/b/c/gr%c3%bcn"),
      ("com.example.app://in?code=1", "com.example.app://in?code=1"),
      ("urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob"),
    ])
  func resolvesReferences(reference: String, expected: String) {
    #expect(resolve(reference: reference, against: "http://a/b/c/d;p?q") == expected)
  }
}
