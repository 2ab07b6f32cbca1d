/// The answer to whether a job host takes what comes, and if not, why: one for webhooks, pages, `/readyz` and the manager of
/// services.
package enum HostCondition: Sendable, Equatable {
  /// The jobs are being read: so many of them are known.
  case loading(known: Int, of: Int)
  case planning(jobs: Int)
  case standingBy
  /// The database is away.
  case away(String)
  /// The store takes no changes.
  case standstill(String)
  case ending

  package var isReady: Bool {
    switch self {
    case .planning, .standingBy: true
    case .loading, .away, .standstill, .ending: false
    }
  }

  /// The condition in a word, for those who may know no more.
  package var name: String {
    switch self {
    case .loading: "reading the jobs"
    case .planning, .standingBy: "ready"
    case .away: "the database is away"
    case .standstill: "the jobs stand still"
    case .ending: "stopping"
    }
  }

  /// The condition in a line.
  package var text: String {
    switch self {
    case .loading(_, of: 0): "reading the jobs"
    case .loading(let known, let count): "reading the jobs: \(known) of \(count)"
    case .planning(let count): "\(count) \(count == 1 ? "job" : "jobs")"
    case .standingBy: "standing by"
    case .away(let reason): "the database is away: \(reason)"
    case .standstill(let reason): "the jobs stand still: \(reason)"
    case .ending: "stopping"
    }
  }
}
