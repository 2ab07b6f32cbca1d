import HostLoop
import ImportFormats
import TaskAPI

/// The rows of the blocks that this worker claims, one block after the other. The next blocks are claimed while the
/// rows of the last ones are sent.
@HostActor
final class BlockSource: RowSource {
  private let supply: any BlockSupply
  private var rows: ArraySlice<(block: HeldBlock, row: BlockRow)> = []
  private var current: (block: HeldBlock, row: BlockRow)?
  private var claiming: Task<[HeldBlock], any Error>?
  private var wish = fewest
  private var lastClaim = 0.0
  private var bell: CancellableWait<Void>?
  private var isInterrupted = false

  private static let fewest = 2
  private static let most = 8
  /// With fewer rows at hand the next blocks are claimed.
  private static let lowMark = 400
  /// Seconds until it asks again for blocks that nobody told of.
  private static let pause = 0.25

  init(_ supply: any BlockSupply) { self.supply = supply }

  let bytesRead = 0
  let totalBytes: Int? = nil

  var isReady: Bool { !rows.isEmpty }

  func next() async throws -> SourceRecord? {
    while !isInterrupted {
      if rows.count < Self.lowMark { startClaim() }
      if let next = rows.popFirst() {
        current = next
        return next.row.record
      }
      let blocks = try await finishClaim()
      for block in blocks { rows += block.openRows.map { (block, $0) } }
      guard blocks.isEmpty else { continue }
      guard !isInterrupted, try await supply.mayGrow() else { return nil }
      try await waitForBlocks()
    }
    return nil
  }

  func interrupt() {
    isInterrupted = true
    ring()
  }

  private func startClaim() {
    guard claiming == nil else { return }
    // A claim holds about the work of a second.
    let time = HostLoop.uptime
    if time - lastClaim < 0.5 {
      wish = min(wish * 2, Self.most)
    } else if time - lastClaim > 2 {
      wish = max(wish / 2, Self.fewest)
    }
    lastClaim = time
    claiming = HostActor.task { [supply, wish] in try await supply.claim(wish) }
  }

  private func finishClaim() async throws -> [HeldBlock] {
    startClaim()
    guard let task = claiming else { return [] }
    // The claim goes on if this is canceled: its blocks are given back in the end.
    let wait = CancellableWait<[HeldBlock]>()
    HostActor.task { wait.finish(await task.result) }
    let blocks = try await wait.value()
    claiming = nil
    return blocks
  }

  /// Waits for a claim that is under way, so that its blocks are known.
  func end() async {
    _ = await claiming?.result
    claiming = nil
  }

  /// There are blocks to be claimed.
  func ring() { bell?.finish(.success(())) }

  private func waitForBlocks() async throws {
    let wait = CancellableWait<Void>()
    bell = wait
    let timer = HostLoop.shared.schedule(after: Self.pause) { wait.finish(.success(())) }
    defer {
      HostLoop.shared.cancel(timer)
      bell = nil
    }
    try await wait.value()
  }

  func draft(of record: SourceRecord) async throws -> RowDraft {
    guard let current, current.row.number == record.number, let draft = current.row.draft else { return .skipped }
    return .task(draft)
  }

  func known(_ record: SourceRecord) -> KnownRow? {
    guard let current, current.row.number == record.number, let draft = current.row.draft,
      current.block.fateBefore(ofRow: record.number) == .sent
    else { return nil }
    return KnownRow(
      row: record.number, fingerprint: record.fingerprint, textHash: StableHash.of(draft.text), state: .sent,
      sentAt: current.block.claimed)
  }
}
