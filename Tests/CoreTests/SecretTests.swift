import Core
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
    #expect(clean("the server said: p@ss/word+é is wrong") == "the server said: [secret] is wrong")
    #expect(clean("/login?password=p%40ss%2Fword%2B%C3%A9&x=1") == "/login?password=[secret]&x=1")
  }

  @Test(
    "so are its spellings in addresses, forms, JSON, HTML and base64",
    arguments: [
      "a=p%20w%22%5C%2F%C3%A9%0A", "a=p%20w%22%5c%2f%c3%a9%0a", "a=p+w%22%5C%2F%C3%A9%0A", #"a=p w\"\\/é\n"#,
      #"a=p w\"\\\/é\n"#, #"a=p w\"\\/\u00e9\n"#, #"a=p w\u0022\\/\u00E9\n"#, "a=p w&quot;\\/é\n", "a=cCB3Ilwvw6kK",
    ])
  func spellings(text: String) {
    _ = Secret("p w\"\\/é\n")
    #expect(clean(text) == "a=[secret]")
  }

  @Test("a letter that merges with what stands behind it is cut off from it")
  func combining() {
    _ = Secret("Jabberwocky-e")
    #expect(clean("Jabberwocky-e\u{301}").utf8.starts(with: "[secret]".utf8))
  }

  @Test("a part of a secret stays, so that nobody can guess it a part at a time")
  func parts() {
    _ = Secret("header-of-both.first-payload")
    for text in ["header-of-both.firs", "near 'header-of-both.first-payloa'", "eader-of-both.first-payload"] {
      #expect(clean(text) == text)
    }
    #expect(clean("no file './header-of-both/first-payload.lua'") == "no file './[secret].lua'")
  }

  @Test("what has the form of a JWT goes, known or not, also where it was cut off")
  func tokens() {
    #expect(clean("near 'eyJhbGciOiJSUzI1N...'") == "near '[secret]'")
    #expect(clean("Bearer eyJhbGciOi.eyJzdWIi.c2ln, eyJ is short") == "Bearer [secret], eyJ is short")
    #expect(clean("heyJude-take-a-sad-song") == "heyJude-take-a-sad-song")
  }

  @Test("what a script passes in is no secret, and neither is what it gets made into one")
  func given() {
    _ = Secret(given: "; touch pwned").shared()
    #expect(Secret(given: "; touch pwned") == Secret(given: "; touch pwned"))
    #expect(clean("git; touch pwned") == "git; touch pwned")
    #expect(Redaction.forScripts("git; touch pwned") == "git; touch pwned")
  }

  @Test("a script's text is cleaned of what the script may know alone")
  func scripts() {
    let secret = Secret("only-the-host-knows")
    #expect(Redaction.forScripts("is it only-the-host-knows?") == "is it only-the-host-knows?")
    #expect(clean("is it only-the-host-knows?") == "is it [secret]?")
    secret.shared()
    #expect(Redaction.forScripts("is it only-the-host-knows?") == "is it [secret]?")
    #expect(Redaction.forScripts("is it only-the-host-know?") == "is it only-the-host-know?")
  }

  @Test("the longer of two secrets goes first, so that nothing of it is left")
  func overlapping() {
    _ = Secret("abcdef")
    _ = Secret("abcdef-ghijkl")
    #expect(clean("x abcdef-ghijkl y abcdef z") == "x [secret] y [secret] z")
  }

  @Test("a short word does not blot out ordinary text")
  func short() {
    _ = Secret("a")
    #expect(clean("a cat") == "a cat")
  }

  private func clean(_ text: String) -> String { OutputText(text).text }
}
