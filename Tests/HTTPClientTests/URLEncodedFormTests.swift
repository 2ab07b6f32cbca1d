import Core
import HTTPClient
import Testing

@Suite struct URLEncodedFormTests {
  @Test func encodesEveryReservedByte() {
    #expect(
      URLEncodedForm.encode([("Text", "Buy milk & 50% more"), ("a=b", "grün\r\n"), ("empty", "")])
        == "Text=Buy+milk+%26+50%25+more&a%3Db=gr%C3%BCn%0D%0A&empty=")
    #expect(URLEncodedForm.percentEncode("a b/c~d+\0") == "a%20b%2Fc~d%2B%00")
  }

  @Test func decodes() {
    let fields = URLEncodedForm.decode("a=1+2&b=%26%3d&&c&d=x=y&=z&e=100%&f=%zz")
    let expected = [("a", "1 2"), ("b", "&="), ("c", ""), ("d", "x=y"), ("", "z"), ("e", "100%"), ("f", "%zz")]
    #expect(fields.elementsEqual(expected, by: ==))
  }

  @Test(arguments: ["", "plain", "a b", "日本語 ✓", "=&%+;\"'\u{0}\n"]) func comesBackAsItWas(text: String) {
    #expect(URLEncodedForm.decode(URLEncodedForm.encode([("k", text)])).first?.1 == text)
    #expect(URLEncodedForm.decode("k=" + URLEncodedForm.percentEncode(text)).first?.1 == text)
  }
}
