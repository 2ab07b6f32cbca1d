import Core
import Glibc
import HostLoop
import ImportEngine
import ImportFormats

/// This process as a worker of an import: its registration, its pulse, and its look at the others.
@HostActor
final class SharedWorker {
  private(set) var identity: WorkerIdentity
  private(set) var pulse: WorkerPulse
  let load = WorkerLoad()
  let times: SharedTimes
  private let imports: PatientImports
  private let signals: SharedSignals
  /// The workers that say nothing, of which the person knows.
  private var silent: Set<String> = []
  private var lastLook = 0.0

  init(_ identity: WorkerIdentity, _ imports: PatientImports, _ times: SharedTimes, _ signals: SharedSignals) {
    self.identity = identity
    self.imports = imports
    self.times = times
    self.signals = signals
    pulse = WorkerPulse(imports.imports, times, identity.id, on: imports.id, signals)
  }

  var id: String { identity.id }
  var isFenced: Bool { pulse.isFenced }

  func register() async throws {
    let ahead = try await imports.register(identity, seconds: times.lease, now: Double(time(nil)))
    if abs(ahead) > 60 {
      signals.yield(
        .notice(
          "the clock of this machine is \(Self.seconds(abs(ahead))) s \(ahead > 0 ? "ahead of" : "behind") that of "
            + "\(imports.place): set it right, or servers may refuse its tokens"))
    }
    pulse.begin()
  }

  /// Registers as another worker, because others have taken this one for dead.
  func renew() async throws {
    await pulse.end()
    identity.renew()
    pulse = WorkerPulse(imports.imports, times, identity.id, on: imports.id, signals)
    try await register()
  }

  /// Whole seconds. A database may say anything.
  private static func seconds(_ seconds: Double) -> Int { Int(exactly: seconds.rounded()) ?? .max }

  static func wait() async throws { try await HostLoop.shared.sleep(seconds: 0.1) }

  /// Waits for the blocks of other machines, and reports machines that have stopped to beat.
  func waitForOthers() async throws {
    try await Self.wait()
    guard HostLoop.uptime - lastLook > 2 else { return }
    lastLook = HostLoop.uptime
    let holders = try await imports.holders(except: id, lease: times.lease)
    for (holder, silence) in holders where silence > 1.5 * times.beat && silent.insert(holder.id).inserted {
      signals.yield(
        .notice(
          "waiting for \(counted(holder.blocks, "block")) of the machine \(holder.machine), which was last heard of "
            + "\(Self.seconds(silence)) s ago; others can send them \(Int(times.lease + times.grace)) s after that"))
    }
  }
}
