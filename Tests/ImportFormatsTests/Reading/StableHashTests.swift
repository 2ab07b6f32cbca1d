import Testing

@testable import ImportFormats

@Suite struct StableHashTests {
  /// Each pair has one hash where the lengths of pieces are not separate.
  static let pairs = [
    ("12", "123"), ("1", "113"), ("a3", "a32"), ("1111", "01111"), ("1212", "321212"),
    (String(repeating: "1", count: 8), "0" + String(repeating: "1", count: 8)),
  ]

  @Test(arguments: pairs) func lengthsCount(one: String, other: String) {
    #expect(StableHash.of(one) != StableHash.of(other))
    StableHash.$isOfOldJournal.withValue(true) { #expect(StableHash.of(one) == StableHash.of(other)) }
  }

  @Test func shortTextsDiffer() {
    let letters = ["", "0", "1", "2", "3", "a", "b", "c"]
    var texts: Set<String> = []
    for one in letters {
      for two in letters { for three in letters { for four in letters { texts.insert(one + two + three + four) } } }
    }
    #expect(Set(texts.map { StableHash.of($0) }).count == texts.count)
  }
}
