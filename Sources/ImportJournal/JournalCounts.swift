import ImportFormats

/// The number of rows in each state.
struct JournalCounts: Sendable, Equatable {
  private var numbers = [Int](repeating: 0, count: 6)

  subscript(state: RowState) -> Int {
    get { numbers[Int(state.rawValue)] }
    set { numbers[Int(state.rawValue)] = newValue }
  }

  var rows: Int { numbers.reduce(0, +) }

  mutating func move(from old: RowState?, to new: RowState) {
    if let old { self[old] -= 1 }
    self[new] += 1
  }
}
