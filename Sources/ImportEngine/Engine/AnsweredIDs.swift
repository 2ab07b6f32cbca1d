/// The IDs of the last tasks that answers have named, to find an answer that names the task of another row. Each row asks,
/// so this is a table of hashes, which needs no second hash and no removal: the older half of the IDs goes at once.
struct AnsweredIDs {
  /// The last rows whose IDs are known. More would not fit into the caches of a processor.
  private static let most = 1 << 14
  /// Half of the slots of a table stay empty.
  private static let mask = most - 1

  private var recent: [Slot] = []
  private var earlier: [Slot] = []
  private var count = 0

  /// The number of a row is at least 1; 0 is an empty slot.
  private struct Slot {
    var id = 0
    var row = 0
  }

  /// Notes the ID of a row's task, which is a hash. Returns the number of another row that has it already.
  mutating func note(_ id: Int, of row: Int) -> Int? {
    if count == Self.most / 2 || recent.isEmpty {
      earlier = recent
      recent = Array(repeating: Slot(), count: Self.most)
      count = 0
    }
    let place = Self.place(of: id, in: recent)
    var known = recent[place].row
    if known == 0, !earlier.isEmpty { known = earlier[Self.place(of: id, in: earlier)].row }
    if known != 0 { return known == row ? nil : known }
    recent[place] = Slot(id: id, row: row)
    count += 1
    return nil
  }

  /// The slot with the ID, or the empty one where it belongs.
  private static func place(of id: Int, in slots: [Slot]) -> Int {
    var place = id & mask
    while slots[place].row != 0, slots[place].id != id { place = (place + 1) & mask }
    return place
  }
}
