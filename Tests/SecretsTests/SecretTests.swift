import Secrets
import Testing

@Suite("A secret does not print itself")
struct SecretTests {
  private struct Holder { let token: Secret }

  @Test func printing() {
    let secret = Secret("correct-horse-battery")
    var dumped = ""
    dump(Holder(token: secret), to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), "\(Holder(token: secret))", dumped, "\([secret])"] {
      #expect(text.contains("[secret]"))
      #expect(!text.contains("correct-horse"))
    }
    #expect(secret.reveal() == "correct-horse-battery")
  }

  @Test("text that came to hold it by another way is cleaned, percent-encoded or not")
  func redaction() {
    _ = Secret("p@ss/word+é")
    #expect(Redaction.clean("the server said: p@ss/word+é is wrong") == "the server said: [secret] is wrong")
    #expect(Redaction.clean("/login?password=p%40ss%2Fword%2B%C3%A9&x=1") == "/login?password=[secret]&x=1")
  }

  @Test(
    "so are its spellings in addresses, forms, JSON, HTML and base64",
    arguments: [
      "a=p%20w%22%5C%2F%C3%A9%0A", "a=p%20w%22%5c%2f%c3%a9%0a", "a=p+w%22%5C%2F%C3%A9%0A", #"a=p w\"\\/é\n"#,
      #"a=p w\"\\\/é\n"#, #"a=p w\"\\/\u00e9\n"#, #"a=p w\u0022\\/\u00E9\n"#, "a=p w&quot;\\/é\n", "a=cCB3Ilwvw6kK",
    ])
  func spellings(text: String) {
    _ = Secret("p w\"\\/é\n")
    #expect(Redaction.clean(text) == "a=[secret]")
  }

  @Test("a letter that merges with what stands behind it is cut off from it")
  func combining() {
    _ = Secret("Jabberwocky-e")
    #expect(Redaction.clean("Jabberwocky-e\u{301}").utf8.starts(with: "[secret]".utf8))
  }

  @Test("what a message has cut off is recognized by its beginning, after those that are whole")
  func beginnings() {
    _ = Secret("header-of-both.first-payload")
    _ = Secret("header-of-both.second-payload-is-longer")
    #expect(Redaction.clean("near 'header-of-both.fir'…") == "near '[secret]'…")
    #expect(Redaction.clean("header-of-both.first-payload, header-of-both.se…") == "[secret], [secret]…")
    #expect(Redaction.clean("header-of-b is a word") == "header-of-b is a word")
    #expect(Redaction.clean("no file './header-of-both/first-payload.lua'") == "no file './[secret].lua'")
  }

  @Test("the longer of two secrets goes first, so that nothing of it is left")
  func overlapping() {
    _ = Secret("abcdef")
    _ = Secret("abcdef-ghijkl")
    #expect(Redaction.clean("x abcdef-ghijkl y abcdef z") == "x [secret] y [secret] z")
  }

  @Test("a short word does not blot out ordinary text")
  func short() {
    _ = Secret("a")
    #expect(Redaction.clean("a cat") == "a cat")
  }
}
