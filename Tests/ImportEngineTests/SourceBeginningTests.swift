import ImportEngine
import Testing

@Suite struct SourceBeginningTests {
  @Test func aSourceIsKnownThoughRowsWereTakenOutOrAdded() {
    let rows = Array(1...40)
    #expect(SourceBeginning.areAlike(rows, rows))
    #expect(SourceBeginning.areAlike(rows, Array(rows.dropFirst())))
    #expect(SourceBeginning.areAlike(Array(rows.dropFirst()), rows))
    #expect(SourceBeginning.areAlike(rows, [0] + rows))
    #expect(SourceBeginning.areAlike(rows, rows.filter { $0 != 17 && $0 != 3 } + [41, 42]))
    #expect(SourceBeginning.areAlike(rows, Array(1...3)))
    #expect(SourceBeginning.areAlike([1, 2, 3], [2, 3]))
  }

  @Test func anotherSourceIsNot() {
    let rows = Array(1...40)
    #expect(!SourceBeginning.areAlike(rows, Array(101...140)))
    #expect(!SourceBeginning.areAlike(rows, Array(rows.reversed())))
    #expect(!SourceBeginning.areAlike(rows, rows.map { $0 % 2 == 0 ? $0 : $0 + 100 }))
    #expect(!SourceBeginning.areAlike([1, 2], [1, 3]))
    #expect(!SourceBeginning.areAlike([1], [1]))
    #expect(!SourceBeginning.areAlike(rows, [7, 31]))
    #expect(!SourceBeginning.areAlike(rows, []))
  }
}
