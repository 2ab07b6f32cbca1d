import Databases
import HostLoop
import ImportFormats
import TaskAPI

/// Makes blocks of new rows, and adds them to the database.
@HostActor
final class BlockWriter {
  private let imports: PatientImports
  private let lease: Lease
  private let load: WorkerLoad
  private let signals: SharedSignals?
  /// The rows of the last blocks, for this machine's own claims.
  var recent = RecentBlocks()
  /// The number of the next block.
  var number = 0
  private var block = Draft()
  private var ready: [PlannedBlock] = []
  private var lastWrite = HostLoop.uptime

  /// The fewest rows of a block, unless the source ends.
  private static let fewestRows = 20
  /// The most blocks that wait to be worked on.
  static let lookAhead = 5000
  /// The most blocks of one write, and the longest time in seconds until a block is written.
  private static let mostReady = 16
  private static let longestWait = 0.2

  /// The rows of the next block.
  private struct Draft {
    var rows: [BlockRow] = []
    var states: [RowState] = []
    var failures: [JournalFailure] = []
    var textSize = 0

    private static let largestText = 1 << 20

    func isFull(_ size: Int) -> Bool { rows.count >= size || textSize >= Self.largestText }
  }

  init(_ imports: PatientImports, _ lease: Lease, _ load: WorkerLoad, _ signals: SharedSignals?) {
    self.imports = imports
    self.lease = lease
    self.load = load
    self.signals = signals
  }

  func add(_ row: BlockRow, _ state: RowState, _ failure: JournalFailure?) async throws {
    block.rows.append(row)
    block.states.append(state)
    if let failure { block.failures.append(failure) }
    if let draft = row.draft { block.textSize += draft.text.utf8.count + (row.original?.utf8.count ?? 0) }
    if block.isFull(size) { closeBlock() }
    if ready.count >= Self.mostReady || HostLoop.uptime - lastWrite > Self.longestWait { try await write() }
  }

  /// Writes the rows that are left.
  func finish() async throws {
    closeBlock()
    try await write()
  }

  /// The number of rows of the next block, which takes at most two seconds.
  private var size: Int {
    let most = SharedImports.mostRows
    // Nothing is known before the first second: small blocks first, for all machines.
    guard load.rate > 0 else { return number < 64 ? 100 : most }
    return min(most, max(Self.fewestRows, Int(load.rate * 2)))
  }

  private func closeBlock() {
    guard !block.rows.isEmpty else { return }
    ready.append(
      PlannedBlock(
        number: number, rows: block.rows, states: block.states, failures: block.failures,
        digest: PlannedBlock.digest(of: block.rows)))
    number += 1
    block = Draft()
  }

  private func write() async throws {
    lastWrite = HostLoop.uptime
    guard !ready.isEmpty else { return }
    let blocks = ready
    ready = []
    try await imports.add(blocks, lease)
    recent.add(blocks)
    signals?.yield(.planned)
    while load.openBlocks > Self.lookAhead { try await HostLoop.shared.sleep(seconds: 0.5) }
  }
}

/// The load of a worker, as its run sees it.
@HostActor
final class WorkerLoad {
  /// The blocks of all machines that are not done yet, at the last look.
  var openBlocks = 0
  /// The rows a second of this machine.
  var rate = 0.0
}

/// The rows of the last blocks that this machine has planned, by the numbers of the blocks.
@HostActor
struct RecentBlocks {
  private(set) var rows: [Int: [BlockRow]] = [:]
  /// Some megabytes.
  private static let most = 64

  mutating func add(_ blocks: [PlannedBlock]) {
    for block in blocks where rows.count < Self.most { rows[block.number] = block.rows }
  }

  /// Forgets blocks that were claimed.
  mutating func forget(_ blocks: [HeldBlock]) {
    for block in blocks { rows[block.number] = nil }
    // Others have claimed what is far behind.
    if let first = blocks.first?.number { for number in rows.keys where number < first { rows[number] = nil } }
  }
}
