extension Turn {
  /// The old runs that one turn removes, so that no turn takes long.
  private static let mostRemoved = 20

  /// True if a job has runs to remove.
  func isOld(_ history: JobStore.History, of name: String) -> Bool {
    guard options.forgets, let firstEnd = history.firstEnd else { return false }
    let keep = model.jobs[name]?.declaration?.keep ?? options.keep
    return firstEnd < now.wall - Int64(keep.days) * 86_400_000 || history.count > keep.runs
  }

  /// Removes runs of a job that are older than its `keep` says, or more.
  mutating func forgetOldRuns(of name: String) async throws {
    guard options.forgets else { return }
    let keep = model.jobs[name]?.declaration?.keep ?? options.keep
    var count: Int
    if let stored = model.jobs[name]?.stored { count = stored } else { count = try await store.runCount(of: name) }
    var removed: [Int64] = []
    let limit = now.wall - Int64(keep.days) * 86_400_000
    while removed.count < Self.mostRemoved, let oldest = try await store.oldestEnded(of: name),
      oldest.ended < limit || count > keep.runs
    {
      try await store.removeRun(oldest.id)
      removed.append(oldest.id)
      count -= 1
      if model.jobs[name]?.lastSkip?.id == oldest.id { model.jobs[name]?.lastSkip = nil }
    }
    model.jobs[name]?.stored = count
    guard !removed.isEmpty else { return }
    try await store.shrink(pages: Self.mostRemoved)
    let ids = removed
    effects.append { host in for id in ids { host.onRemoval?(id) } }
  }
}
