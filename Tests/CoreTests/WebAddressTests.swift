import Core
import Testing

@Suite struct WebAddressTests {
  @Test(
    "is printed as it was read",
    arguments: [
      "", "?", "#", "https://a.example", "https://a.example/p?q=1&q=%20+#f?x=1#y", "/path?x#", "x?#?", "urn:a:b?c=d",
      "https://a.example/?\u{301}q=1&\u{301}#\u{301}f",
    ])
  func roundTrip(_ text: String) {
    let address = WebAddress(text)
    #expect(address.text == text)
    let parameters = address.parameters.map { "\($0.separator)\($0.rawName)" + ($0.rawValue.map { "=\($0)" } ?? "") }
    #expect(Array((address.base + parameters.joined()).utf8) == Array(text.utf8))
  }

  @Test func hasParts() {
    let address = WebAddress("https://alice:secret@a.example:8443/x/y?a=1&b=2#c=3")
    #expect(address.authority == "alice:secret@a.example:8443")
    #expect(address.path == "/x/y")
    #expect(address.withoutCredentials.base == "https://a.example:8443/x/y")
    #expect((address.query, address.fragment) == ("a=1&b=2", "c=3"))
    #expect(address.field("b") == "2")
    #expect(address.field("c") == nil)
    #expect(address.parameters.map(\.name) == ["a", "b", "c"])
    #expect(WebAddress("/x/y?a").path == "/x/y")
    #expect(WebAddress("/x/y?a").authority.isEmpty)
  }

  @Test("A fragment may be a page with a query") func pageInFragment() {
    #expect(WebAddress("https://a.example/#/page?code=1&x=a?b").parameters.map(\.name) == ["/page", "code", "x"])
    #expect(WebAddress("https://a.example/#code=a?b").parameters.map(\.value) == ["a?b"])
  }

  @Test(
    "gets further parameters",
    arguments: [
      ("https://a.example/", "https://a.example/?x=1"), ("https://a.example/?", "https://a.example/?x=1"),
      ("https://a.example/?a=1", "https://a.example/?a=1&x=1"),
      ("https://a.example/?a=1&", "https://a.example/?a=1&x=1"),
      ("https://a.example/#f", "https://a.example/?x=1#f"),
    ])
  func appending(_ before: String, _ after: String) {
    #expect(WebAddress(before).appending("x=1") == after)
    #expect(WebAddress(before).appending("") == before)
  }

  @Test func setsFields() {
    var address = WebAddress("https://a.example/?p=1&q=a+b")
    address.set("p", "2&3")
    address.set("r", "ü")
    #expect(address.text == "https://a.example/?p=2%263&q=a%20b&r=%C3%BC")
  }

  @Test(
    "is shown without query, fragment and credentials",
    arguments: [
      ("https://alice:secret@a.example/x?code=1#f", "https://a.example/x"),
      ("https://a@b@c.example/", "https://c.example/"),
      ("https://a.example/a b\n", "https://a.example/a?b?"), ("/x?token=1", "/x"), ("urn:a@b", "urn:a@b"),
    ])
  func shown(_ text: String, _ shown: String) {
    #expect(WebAddress(text).shown == shown)
    #expect(WebAddress("https://a.example/" + String(repeating: "x", count: 300)).shown.count == 200)
  }

  @Test(
    "loses the values of secret parameters",
    arguments: [
      (
        "https://u:p@a.example/?code=1&state=2&client_secret=3#id_token=4&x=5",
        "https://a.example/?code=[secret]&state=2&client_secret=[secret]#id_token=[secret]&x=5"
      ),
      ("https://a.example/?c%6Fde=1&password", "https://a.example/?c%6Fde=[secret]&password"),
      ("https://a.example/blob?sv=1&sig=2", "https://a.example/blob?sv=1&sig=[secret]"),
      ("https://a.example/?a=1&\u{301}&code=2", "https://a.example/?a=1&\u{301}&code=[secret]"),
      ("https://a.example/#/page?code=1", "https://a.example/#/page?code=[secret]"),
      (
        "https://a.example/?token_type=Bearer&client_assertion_type=x",
        "https://a.example/?token_type=Bearer&client_assertion_type=x"
      ),
    ])
  func redacted(_ text: String, _ redacted: String) {
    #expect(WebAddress(text).redacted == redacted)
  }
}
