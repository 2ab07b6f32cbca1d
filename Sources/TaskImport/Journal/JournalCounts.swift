/// How many rows of a journal are in which state.
struct JournalCounts: Sendable, Equatable {
  private var numbers = [Int](repeating: 0, count: 6)

  subscript(state: RowState) -> Int {
    get { numbers[Int(state.rawValue)] }
    set { numbers[Int(state.rawValue)] = newValue }
  }

  /// Rows the journal knows.
  var rows: Int { numbers.reduce(0, +) }

  /// A row has come, or has changed.
  mutating func move(from old: RowState?, to new: RowState) {
    if let old { self[old] -= 1 }
    self[new] += 1
  }
}
