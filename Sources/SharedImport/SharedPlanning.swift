import Databases
import HostLoop
import ImportEngine
import ImportFormats

/// The task of this machine that reads the source.
@HostActor
final class SharedPlanning {
  /// Opens the source, perhaps more than once; nil for a machine that only helps.
  var source: (@HostActor () throws -> any RowSource)?
  /// False if the service keeps no parents, so that none can be wrong.
  var keepsParents = true
  private let imports: PatientImports
  private let signals: SharedSignals
  private(set) var planner: BlockPlanner?
  private var task: Task<Void, any Error>?
  private(set) var isRunning = false
  /// The error of the source behind the rows that were planned.
  private(set) var problem: (any Error)?

  /// - Parameter imports: with a connection for the planner alone.
  init(_ imports: PatientImports, _ signals: SharedSignals) {
    self.imports = imports
    self.signals = signals
  }

  /// The rows of the last blocks that were planned.
  var recentRows: [Int: [BlockRow]] { planner?.writer.recent.rows ?? [:] }

  /// The blocks were claimed.
  func forget(_ blocks: [HeldBlock]) { planner?.writer.recent.forget(blocks) }

  /// Begins to plan. The worker keeps the lease until the end.
  func begin(_ record: SharedImport, _ lease: Lease, _ dedupe: Dedupe, for worker: SharedWorker) throws {
    guard let source else { return }
    let planner = BlockPlanner(imports, record, try source(), lease, dedupe, worker.load, signals)
    planner.keepsParents = keepsParents
    self.planner = planner
    isRunning = true
    task = HostActor.task { [self, pulse = worker.pulse] in
      do { try await planner.run() } catch {
        // The rows before the error are good, and are sent. After a fence another machine, or this one again, reads the rest.
        let isFenced = (error as? ImportError)?.kind == .fenced
        if !isFenced, !(error is CancellationError) { problem = problem ?? error }
      }
      isRunning = false
      // A canceled task cannot ask the database. The pulse gives the lease back when it ends.
      if !Task.isCancelled { await pulse.giveBack(lease) }
      signals.yield(.planned)
    }
  }

  func cancel() { task?.cancel() }

  /// Ends the planning, and waits for that.
  func end() async {
    cancel()
    _ = await task?.result
  }

  func close() async { await imports.close() }
}
