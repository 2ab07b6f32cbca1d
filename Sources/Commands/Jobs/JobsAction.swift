/// The actions of `jobs`.
enum JobsAction: String, CaseIterable {
  case list, show, next, run, pause, resume, allow, runs, log, cancel, retry, approve, decline

  /// True if the action is more than a look.
  var changes: Bool {
    switch self {
    case .list, .show, .next, .runs, .log: false
    case .run, .pause, .resume, .allow, .cancel, .retry, .approve, .decline: true
    }
  }

  /// The words behind the action, as help shows them.
  var operands: String {
    switch self {
    case .list: ""
    case .show: "JOB"
    case .pause, .resume, .allow: "JOB…"
    case .next: "JOB|FILE [N]"
    case .run: "JOB [-- ARG…]"
    case .runs: "[JOB]"
    case .log: "RUN"
    case .cancel, .retry, .approve, .decline: "RUN…"
    }
  }
}
