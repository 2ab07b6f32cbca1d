import HostLoop

/// Decides from the list of tasks whether rows of unknown fate were added.
///
/// For each text, the number of expected tasks is the number before the import plus the number of rows known as added.
/// If the list has more tasks with the text, rows of unknown fate were added. If a text is missing, its row was not
/// added, but only if the list is complete. A list is complete if it has all expected tasks, at least one task that
/// this import added, and no other task. Another task may be the row under a text that the server has changed.
@HostActor
struct ListEvidence {
  enum Fate: Equatable {
    case added
    case absent
    case unsettled(String)
  }

  /// The number of tasks with each text that judged rows have added.
  private var found: [UInt64: Int] = [:]
  /// Texts of which the list has some tasks, perhaps of rows that are not judged.
  private var shared: Set<UInt64> = []
  /// The reason why a text in the list proves nothing.
  private var doubtAboutFound: String?
  /// The reason why a text missing in the list proves nothing.
  private var doubtAboutMissing: String?
  let hasFound: Bool
  /// True if the list has not shown a task of this import yet.
  private(set) var needsProof = false

  /// - Parameter rows: the number of judged rows with each text.
  init(_ census: TaskCensus, _ known: KnownTasks, rows: [UInt64: Int]) {
    var claimed = 0
    for (hash, count) in rows {
      let new = census.counts[hash, default: 0] - known.before[hash, default: 0] - known.added[hash, default: 0]
      found[hash] = max(0, new)
      claimed += min(count, max(0, new))
      // Rows gone from the source may have added some of these tasks. The case is clear if they added none or all.
      if let lost = known.lost[hash], lost > 0, (1..<lost + count).contains(new) { shared.insert(hash) }
    }
    hasFound = claimed > 0
    let least = known.totalBefore + known.totalAdded
    if let doubt = census.doubt(expecting: least) {
      doubtAboutMissing = doubt
      return
    }
    let surplus = census.total - least - claimed
    let changed = "the server may have changed the text"
    if surplus < 0 {
      doubtAboutFound = "the list has the text, and fewer new tasks than texts: \(changed) of another row"
      doubtAboutMissing = doubtAboutFound
    } else if surplus > 0 {
      doubtAboutMissing =
        "the list has \(surplus) more \(surplus == 1 ? "task" : "tasks") than are accounted for: \(changed)"
    } else if census.total > 0, known.totalAdded + claimed == 0 {
      needsProof = true
      doubtAboutMissing = "the list has not shown a task of this import yet, so that a missing one proves nothing"
    }
  }

  /// The fate of the next row with this text, which the server may still add later if `mayComeLater` is true.
  mutating func fate(of hash: UInt64, mayComeLater: Bool, isConfirmed: Bool) -> Fate {
    if shared.contains(hash), !isConfirmed {
      return .unsettled("a row that the source no longer has may have added the task that is there")
    }
    if found[hash, default: 0] > 0 {
      if let doubtAboutFound { return .unsettled(doubtAboutFound) }
      found[hash, default: 0] -= 1
      return .added
    }
    if let doubtAboutMissing { return .unsettled(doubtAboutMissing) }
    return mayComeLater ? .unsettled("the list does not have it, and the server may still add it") : .absent
  }
}
