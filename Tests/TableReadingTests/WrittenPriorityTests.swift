import TableReading
import Testing

/// Priorities are read as people and programs write them, and the column shows which end is the highest.
struct WrittenPriorityTests {
  @Test(
    arguments: [
      ("sehr hoch", .certain(1)), ("Major", .certain(3)), ("!!", .certain(5)), ("P2", .certain(2)), ("p0", .certain(1)),
      ("B", .certain(2)), ("3", .number(3)), ("0", .number(0)), ("1 - Low", .described(1, as: 9)),
      ("High (1)", .described(1, as: 1)), ("2: mittel", .described(2, as: 5)),
    ] as [(String, WrittenPriority)])
  func aPriorityIsRead(_ text: String, _ expected: WrittenPriority) { #expect(WrittenPriority(text) == expected) }

  @Test(arguments: ["", "perhaps", "-1", "1.5", "1 or 2", "12 monkeys"])
  func anotherTextIsNoPriority(_ text: String) { #expect(WrittenPriority(text) == nil) }

  private func judged(_ values: String...) -> PriorityColumn.Judgment {
    var column = PriorityColumn()
    for value in values.compactMap({ WrittenPriority($0) }) { column.add(value) }
    return column.judgment
  }

  @Test func wordsBesideNumbersDecide() {
    #expect(judged("1 - low", "2", "3 (high)") == .decided(.lowestFirst(most: 3)))
    #expect(judged("1 - high", "2", "3 (low)") == .decided(.highestFirst))
    #expect(judged("1 - low", "4") == .decided(.lowestFirst(most: 4)))
    #expect(judged("1 - low", "2 - high", "3 - low", "1") == .mixed)
  }

  @Test func withoutWordsOneIsTheHighest() {
    #expect(judged("1", "2", "3") == .decided(.highestFirst))
    #expect(judged("0", "1", "5", "9") == .decided(.highestFirst))
    #expect(judged("high", "low") == .needless)
  }

  @Test func zeroAndASmallScaleDecideNothing() { #expect(judged("0", "1", "3", "5") == .undecided) }

  @Test func aScaleIsSpreadOverThePriorities() {
    let scale = PriorityColumn.Scale.lowestFirst(most: 3)
    #expect([0, 1, 2, 3, 4].map(scale.priority) == [0, 9, 5, 1, 1])
    #expect([0, 3, 9, 10].map(PriorityColumn.Scale.highestFirst.priority) == [0, 3, 9, nil])
  }
}
