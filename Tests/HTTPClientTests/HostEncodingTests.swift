import Testing

@testable import HTTPClient

@Suite("A host with letters beyond ASCII is shown and looked up in ASCII")
struct HostEncodingTests {
  @Test(
    "the samples of RFC 3492, 7.1",
    arguments: [
      ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
      ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"), ("pročprostěnemluvíčesky", "proprostnemluvesky-uyb24dma41a"),
      ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
      ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
      ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"), ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
      ("majiでkoiする5秒前", "majikoi5-783gue6qz075azm5e"),
      ("そのスピードで", "d9juau41awczczp"),
    ])
  func samples(text: String, encoded: String) {
    #expect(Punycode.encode(Array(text.unicodeScalars)) == encoded)
  }

  @Test func hosts() {
    #expect(HostEncoding.ascii("example.com") == "example.com")
    #expect(HostEncoding.ascii("аpple.com") == "xn--pple-43d.com")
    #expect(HostEncoding.ascii("BÜCHER.example。com") == "xn--bcher-kva.example.com")
    #expect(HostEncoding.ascii("a\u{200B}b.com") == nil)
    #expect(HostEncoding.ascii(String(repeating: "ü", count: 200)) == nil)
  }

  @Test func origins() throws {
    let origin = try #require(Origin("https://аpple.com/x"))
    #expect(origin.host == "xn--pple-43d.com")
    #expect(origin.written == "аpple.com")
    #expect(origin == Origin("https://xn--pple-43d.com/"))
    #expect(origin != Origin("https://apple.com/"))
    #expect(Origin("https://%D0%B0pple.com/") == origin)
    #expect(CurlURL("https://аpple.com/x")?.text == "https://xn--pple-43d.com/x")
  }
}
