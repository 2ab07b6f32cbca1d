/// The columns that state one fact: whether a task is done.
enum StatedFact {
  /// The columns of the state, in the order in which they count. Of several, those whose first values are known words.
  static func columns(in names: [String], _ shape: SourceShape) -> [String] {
    let found = ColumnNames.completions(in: names)
    guard found.count > 1 else { return found }
    let known = found.filter { name in
      let values = shape.values(name)
      let isPercentage = ColumnNames.isPercentage(name)
      return !values.isEmpty
        && values.allSatisfy { CompletionValue.word($0, isPercentage: isPercentage) != .unclear }
    }
    return known.isEmpty ? Array(found.prefix(1)) : known
  }
}
