import HostLoop
import ImportEngine

/// The blocks of an import for a worker.
@HostActor
protocol BlockSupply: AnyObject {
  /// Claims so many blocks. None come back if there are none now.
  func claim(_ most: Int) async throws -> [HeldBlock]
  /// Returns true if more blocks may come.
  func mayGrow() async throws -> Bool
}

/// The blocks that are free, and those that will be planned.
@HostActor
final class FreeBlocks: BlockSupply {
  private let imports: PatientImports
  private let journal: BlockJournal
  private let planning: SharedPlanning

  init(_ imports: PatientImports, _ journal: BlockJournal, _ planning: SharedPlanning) {
    self.imports = imports
    self.journal = journal
    self.planning = planning
  }

  func claim(_ most: Int) async throws -> [HeldBlock] {
    let blocks = try await imports.claim(
      most, for: journal.worker, honorsKey: journal.honorsIdempotencyKey == true,
      held: { [journal] in Array(journal.held.keys) }, known: planning.recentRows)
    planning.forget(blocks)
    journal.hold(blocks)
    return blocks
  }

  func mayGrow() async throws -> Bool {
    if planning.isRunning { return true }
    guard let now = try await imports.status(for: journal.worker) else { return false }
    return now.planned == nil && now.hasPlanner || now.blocks.free > 0
  }
}

/// Blocks with rows of unknown fate, which are claimed already.
@HostActor
final class ClaimedSupply: BlockSupply {
  private var left: [HeldBlock]

  init(_ blocks: [HeldBlock]) { left = blocks }

  func claim(_ most: Int) -> [HeldBlock] {
    defer { left = [] }
    return left
  }

  func mayGrow() -> Bool { false }
}
