import HTTPClient
import Testing

/// The variables of the environment about certificates and proxies.
@Suite struct EnvironmentTests {
  /// Each row: an entry, the hosts that need no proxy with it, and hosts that do.
  @Test(
    arguments: [
      ("*", ["a.example", "10.1.2.3", "[2001:db8::1]"], []),
      (
        "example.com", ["example.com", "a.example.com", "EXAMPLE.com:8443", "example.com."], ["badexample.com", "com"]
      ),
      (".example.com", ["example.com", "a.b.example.com"], ["badexample.com"]),
      ("*.example.com", ["a.example.com", "a.b.example.com"], ["example.com", "badexample.com"]),
      ("example.com.", ["example.com"], ["example.org"]),
      ("Example.COM:8080", ["example.com:8080", "a.example.com:8080"], ["example.com", "example.com:80"]),
      ("example.com:443", ["https://example.com"], ["http://example.com"]),
      ("*.example.com:8080", ["a.example.com:8080"], ["a.example.com", "example.com:8080"]),
      ("bücher.example", ["xn--bcher-kva.example"], ["bucher.example"]),
      ("10.1.2.3", ["10.1.2.3", "10.1.2.3:99"], ["10.1.2.4", "a10.1.2.3"]),
      ("10.1.2.3:99", ["10.1.2.3:99"], ["10.1.2.3"]),
      ("10.0.0.0/8", ["10.255.0.1"], ["11.0.0.1", "ten.example"]),
      ("192.168.4.0/22", ["192.168.7.9"], ["192.168.8.0"]),
      ("0.0.0.0/0", ["203.0.113.9"], ["[2001:db8::1]", "a.example"]),
      ("2001:db8::1", ["[2001:db8::1]", "[2001:DB8:0::1]:99"], ["[2001:db8::2]"]),
      ("[2001:db8::1]", ["[2001:db8::1]"], ["[2001:db8::2]"]),
      ("[2001:db8::1]:8080", ["[2001:db8::1]:8080"], ["[2001:db8::1]"]),
      ("2001:db8::/32", ["[2001:db8:ffff::9]"], ["[2001:db9::1]", "32.1.13.184"]),
      ("[2001:db8::]/33", ["[2001:db8:7fff::1]"], ["[2001:db8:8000::1]"]),
      ("a.example, b.example\tc.example,", ["a.example", "b.example", "c.example"], ["d.example"]),
      ("a.example,*", ["z.example"], []),
      // An entry of another form means nothing.
      ("10.0.0.0/33, 10.0.0.0/x, a.example:x, /8, ., *., :80, [::1", [], ["10.0.0.0", "a.example"]),
      ("", [], ["a.example"]),
    ] as [(String, [String], [String])])
  func hostsWithoutAProxy(_ entry: String, _ direct: [String], _ proxied: [String]) throws {
    let list = NoProxy(entry)
    for (hosts, isDirect) in [(direct, true), (proxied, false)] {
      for host in hosts {
        let origin = try #require(Origin(host.contains("://") ? host : "http://\(host)/x"))
        #expect(list.contains(origin) == isDirect, "\(entry): \(host)")
      }
    }
  }

  @Test(
    arguments: [
      (nil, [:], nil, "--cacert", nil),
      (nil, ["SSL_CERT_FILE": "a.pem"], "a.pem", "SSL_CERT_FILE", nil),
      (nil, ["CURL_CA_BUNDLE": "b.pem", "SSL_CERT_FILE": "a.pem"], "b.pem", "CURL_CA_BUNDLE", nil),
      (nil, ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "a.pem"], "a.pem", "SSL_CERT_FILE", nil),
      (nil, ["SSL_CERT_DIR": "/etc/a:/etc/b"], nil, "--cacert", "/etc/a:/etc/b"),
      ("c.pem", ["CURL_CA_BUNDLE": "b.pem", "SSL_CERT_DIR": "/etc/a"], "c.pem", "--cacert", "/etc/a"),
    ] as [(String?, [String: String], String?, String, String?)])
  func trustedCertificates(
    _ option: String?, _ variables: [String: String], _ file: String?, _ source: String, _ folder: String?
  ) {
    let trust = Trust(option: option) { variables[$0] }
    #expect(trust.file == file && trust.fileSource == source && trust.folder == folder)
  }
}
