import Core

/// An error about a job: its declaration, its runs, or the folder of its state.
package struct JobError: Failure, Equatable {
  package let code: String
  package let message: String
  package let hint: String?
  /// The path of the wrong entry of a declaration, such as `on[2].cron`; nil for other errors.
  package private(set) var key: String?
  /// The script of a wrong declaration, with the line if it is known: `inbox.lua:12`. The message begins with it.
  package var place: String?

  package init(_ code: String, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// An error that another process has told.
  package init(_ error: RunError) { self.init(error.code, error.message, hint: error.hint) }

  /// True if the host can do the same in a moment.
  package var isRetryable: Bool { [Self.loading, .standingBy, .ended].contains { $0.code == code } }

  /// Somebody wants something of a host that does not know its jobs yet.
  package static let loading = JobError("loading", "the server still reads its jobs", hint: "try again in a moment")
  /// Somebody wants something of a host that has ended.
  static let ended = JobError("server_ends", "the server ends", hint: "try again when it has started again")
  /// A machine that does not plan was asked to change something.
  static let standingBy = JobError("standing_by", "another machine plans the jobs", hint: "try again in a minute")
  /// The turn of a machine whose right to plan has gone over to another one.
  static let fenced = JobError("fenced", "another machine plans the jobs")

  /// A declaration that makes no sense. `key` is the path in the declaration: `on[2].cron`.
  static func declaration(_ key: String, _ problem: String, hint: String? = nil) -> JobError {
    var error = JobError("bad_job", key.isEmpty ? "b2c.job: \(problem)" : "b2c.job: \(key): \(problem)", hint: hint)
    error.key = key
    return error
  }
}

/// - Parameter names: of all jobs. A hint shows the first ones.
func didYouMeanJob(_ name: String, _ names: [String]) -> String {
  if let hint = didYouMean(name, among: names) { return hint }
  let shown = names.sorted().prefix(20).joined(separator: ", ")
  return names.isEmpty ? "there are no jobs" : "the jobs are \(shown)\(names.count > 20 ? " and others" : "")"
}
