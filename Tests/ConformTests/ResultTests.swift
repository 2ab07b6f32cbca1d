import Conform
import JSON
import Testing

/// The forms of a result, and its end.
@Suite struct ResultTests {
  private static let topic = Topic(
    "provider.code", "Codes", wrong: .provider, means: "A stolen code is enough.", change: ["B2C": "Nothing <helps>."])

  private static func verdict(_ name: String, _ rule: Rule, _ finding: Finding) -> Verdict {
    let check = Check(topic, name, "The check \(name)", "does \(name)", rule, peers: ["oidf:oidcc-codereuse"])
    return Verdict(
      check, finding,
      [Evidence(request: "POST https://p.example/token", sent: [("code", "[secret]")], status: 200, received: "{}", line: 3)])
  }

  private static let must = Rule.must("a code works once", "RFC 6749, 4.1.2")
  private static let should = Rule.should("tokens are revoked", "RFC 6749, 4.1.2")
  private static let may = Rule.may("a fact", "RFC 8414, 2")

  private static func result(_ verdicts: Verdict...) -> ConformResult {
    ConformResult(.provider, "https://p.example", verdicts)
  }

  private static let mixed = result(
    verdict("once", must, .broken("200 & <tokens>")), verdict("weak", should, .broken("no")),
    verdict("fact", may, .broken("not there")), verdict("right", must, .kept("400 invalid_grant")),
    verdict("silent", must, .unclear("503")), verdict("unused", must, .notUsed("no codes")))

  @Test func theLevelDecidesTheOutcome() {
    #expect(Self.mixed.verdicts.map(\.outcome) == [.failed, .weak, .told, .passed, .unclear, .notUsed])
    #expect(Self.mixed.counts == "1 failed, 1 weak, 1 unclear, 1 told, 1 passed, 1 not used")
  }

  @Test func theTextBeginsWithFailures() {
    #expect(
      ConformText(Self.mixed) { text, _ in text }.text == """
        failed  provider.code.once  The check once
                200 & <tokens>
                provider · must · RFC 6749, 4.1.2
        weak    provider.code.weak  The check weak
                no
                provider · should · RFC 6749, 4.1.2
        unclear provider.code.silent  The check silent
                503
                provider · must · RFC 6749, 4.1.2

        https://p.example: 1 failed, 1 weak, 1 unclear, 1 told, 1 passed, 1 not used
        b2c-run conform show provider.code.once explains a check; --report FILE.html has all of them.

        """)
  }

  @Test func theEndIsThatOfTheWorstOutcome() {
    #expect(Self.mixed.end == .failed)
    #expect(Self.result(Self.verdict("a", Self.must, .unclear("503"))).end == .unclear)
    #expect(Self.result(Self.verdict("a", Self.should, .broken("no"))).end == .asExpected)
    var broken = Self.mixed
    broken.signInProblem = "no code"
    #expect(broken.end == .signInFailed)
  }

  @Test func expectedFailuresDoNotCount() throws {
    let text = "# known\nprovider.code.once  mended in March\n\nprovider.code.right  never\n"
    let known: Set = ["provider.code.once", "provider.code.right"]
    let expectation = try Expectation(text, known: known)
    #expect(expectation.reasons["provider.code.once"] == "mended in March")
    var result = Self.mixed
    result.expectedReasons = expectation.reasons
    result.expected = expectation.compare(result.verdicts)
    #expect(result.expected?.new == [])
    #expect(result.expected?.passed == ["provider.code.right"])
    #expect(result.end == .failed)
    #expect(ConformText(result) { text, _ in text }.text.contains("(expected: mended in March)"))
  }

  @Test(arguments: [
    ("provider.code.twice  x", 1, "there is no check 'provider.code.twice'"),
    ("\nprovider.code.once", 2, "expected a reason after 'provider.code.once'"),
  ])
  func aWrongLineOfExpectedFailuresIsNamed(_ text: String, _ line: Int, _ message: String) {
    let problem = #expect(throws: Expectation.Problem.self) {
      try Expectation(text, known: ["provider.code.once"])
    }
    #expect(problem?.line == line)
    #expect(problem?.message == message)
  }

  @Test func changesAreThoseOfOutcomes() throws {
    let before = Self.result(Self.verdict("once", Self.must, .kept("400")), Self.verdict("gone", Self.must, .kept("400")))
    let changes = try #require(Self.mixed.changes(since: before.json))
    #expect(changes.first { $0.id == "provider.code.once" }?.before == "passed")
    #expect(changes.first { $0.id == "provider.code.once" }?.now == "failed")
    #expect(changes.count == 1)
    #expect(Self.mixed.changes(since: ["format": "other"]) == nil)
  }

  @Test func junitCountsFailuresErrorsAndSkippedChecks() {
    let text = ConformJUnit.text(Self.mixed)
    #expect(text.contains("tests=\"6\" failures=\"1\" errors=\"1\" skipped=\"1\""))
    #expect(text.contains("<failure message=\"200 &amp; &lt;tokens&gt;\" type=\"provider\">must: a code works once"))
  }

  @Test func sarifHasRulesWithHelpAndALevelForEachResult() {
    let json = ConformSARIF.json(Self.mixed, version: "1.1.0")
    let run = json["runs"]?.array?.first
    let rules = run?["tool"]?["driver"]?["rules"]?.array ?? []
    #expect(rules.count == 6)
    #expect(rules.first?["help"]?["text"]?.string?.contains("B2C: Nothing <helps>.") == true)
    let levels = run?["results"]?.array?.compactMap { $0["level"]?.string }
    #expect(levels == ["error", "warning", "note"])
    #expect(json["version"] == "2.1.0")
  }

  @Test func thePageEscapesAndFetchesNothing() {
    let page = ConformPage.text(Self.mixed)
    #expect(page.contains("200 &amp; &lt;tokens&gt;"))
    #expect(page.contains("default-src 'none'"))
    #expect(!page.contains("<script"))
    #expect(page.contains("POST https://p.example/token"))
  }

  @Test func theBadgeTellsTheEnd() {
    #expect(ConformBadge.svg(Self.mixed).contains("1 failed"))
    #expect(ConformBadge.svg(Self.result(Self.verdict("a", Self.must, .kept("400")))).contains("1 passed"))
  }

  @Test func selectionsTakeBeginningsAndStars() {
    let checks = ["once", "twice"].map { Check(Self.topic, $0, $0, $0, Self.must) }
    func chosen(_ pattern: String) -> [String] {
      var selection = Selection()
      selection.only = [pattern]
      return checks.filter(selection.has).map(\.id)
    }
    #expect(chosen("provider.code") == ["provider.code.once", "provider.code.twice"])
    #expect(chosen("provider.code.once") == ["provider.code.once"])
    #expect(chosen("provider.*.twice") == ["provider.code.twice"])
    #expect(chosen("*ice") == ["provider.code.twice"])
    #expect(chosen("provider.co") == [])
    var selection = Selection()
    selection.only = ["provider.nothing"]
    #expect(selection.unknown(in: checks) == ["provider.nothing"])
  }
}
