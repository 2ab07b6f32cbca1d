import Conform
import Testing

@testable import ConformClient

/// The lists of checks of clients and APIs.
@Suite struct CheckTests {
  private static let checks = ClientCheck.all.map(\.check) + APICheck.all.map(\.check)

  @Test func eachIDIsUniqueAndNamesItsSubject() {
    #expect(Set(Self.checks.map(\.id)).count == Self.checks.count)
    #expect(ClientCheck.all.allSatisfy { $0.check.subject == .client })
    #expect(APICheck.all.allSatisfy { $0.check.subject == .api })
  }

  @Test func thereAreAsManyAsTheDocumentationSays() {
    #expect(ClientCheck.all.count >= 250)
    #expect(APICheck.all.count >= 130)
  }

  @Test func titlesFitIntoALine() {
    #expect(Self.checks.filter { $0.title.count > 60 }.map(\.id) == [])
  }

  @Test func eachRuleHasASourceWithASection() {
    #expect(Self.checks.filter { !$0.rule.source.contains(",") || !$0.rule.text.hasSuffix(".") }.map(\.id) == [])
  }
}
