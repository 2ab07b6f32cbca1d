import HostLoop
import JSON
import JobSimulation
import Jobs
import Schedule

/// A simulated host for tests, which begins at 2027-01-04 00:00 (a Monday) in a zone.
@HostActor
final class Simulation {
  let jobs: SimulatedJobs
  let zone: Zone
  /// The runs that began, in order.
  private(set) var starts: [RunRecord] = []
  var behavior: (RunRecord) async -> SimulatedJobs.Behavior = { _ in .init() }

  init(
    _ declarations: [String: JSON], from start: String = "2027-01-04 00:00", zone name: String = "UTC",
    parallel: Int = 4, keep: Int = 30, store: JobStore? = nil
  ) async throws {
    zone = try Zone(name)
    var options = JobHost.Options(zone: zone)
    options.parallel = parallel
    options.keep.days = keep
    options.random = { 1 }
    weak var this: Simulation?
    jobs = try SimulatedJobs(from: Schedule.moment(of: start, in: zone), options: options, store: store) { run in
      this?.starts.append(run)
      return await this?.behavior(run) ?? .init()
    }
    this = self
    try await load(declarations)
  }

  func load(_ declarations: [String: JSON], digest: String = "1") async throws {
    try await jobs.load(
      declarations.map { JobDefinition(name: $0, path: "jobs/\($0).lua", digest: digest, declaration: $1) })
  }

  func advance(_ text: String) async throws { try await jobs.advance(by: Interval.milliseconds(of: text)) }

  /// All rows, the oldest first.
  func runs(_ job: String? = nil) async throws -> [RunRecord] {
    var filter = JobStore.Filter()
    filter.job = job
    filter.limit = 100_000
    return try await jobs.store.runs(filter).reversed()
  }

  func states(_ job: String? = nil) async throws -> [String] { try await runs(job).map(\.state.rawValue) }

  /// The due times of the rows, in the zone's time.
  func dues(_ job: String? = nil) async throws -> [String] {
    try await runs(job).compactMap(\.due).map { zone.civil(at: $0).text }
  }
}
