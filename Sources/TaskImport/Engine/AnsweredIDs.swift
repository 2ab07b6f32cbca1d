/// The IDs of the last tasks that answers have named, to find an answer that names the task of another row.
struct AnsweredIDs {
  /// More would take memory with each row of an import.
  private static let most = 1 << 16

  /// The number of the row by a hash of its task's ID.
  private var rows: [Int: Int] = [:]
  private var order: [Int] = []
  private var position = 0

  /// Notes the ID of a row's task. Returns the number of another row that has it already.
  mutating func note(_ id: Int, of row: Int) -> Int? {
    if let known = rows[id] { return known == row ? nil : known }
    rows[id] = row
    if order.count < Self.most {
      order.append(id)
    } else {
      rows[order[position]] = nil
      order[position] = id
      position = (position + 1) % Self.most
    }
    return nil
  }
}
