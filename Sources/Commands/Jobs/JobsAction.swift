/// The actions of `jobs`.
enum JobsAction: String, CaseIterable {
  case list, show, next, run, pause, resume, allow, runs, log, cancel, retry, approve, decline, backfill, move, reload

  /// True if the action is more than a look.
  var changes: Bool {
    switch self {
    case .list, .show, .next, .runs, .log: false
    case .run, .pause, .resume, .allow, .cancel, .retry, .approve, .decline, .backfill, .move, .reload: true
    }
  }

  /// The words behind the action, as help shows them.
  var operands: String {
    switch self {
    case .list, .reload: ""
    case .show: "JOB"
    case .allow: "JOB…"
    case .pause: "[JOB…] [--all] [--from TIME] [--until TIME]"
    case .resume: "[JOB…] [--all]"
    case .backfill: "JOB --from TIME [--to TIME]"
    case .move: "RUN --to-current"
    case .next: "JOB|FILE [N]"
    case .run: "JOB [-- ARG…]"
    case .runs: "[JOB]"
    case .log: "RUN"
    case .cancel, .retry, .approve, .decline: "RUN…"
    }
  }
}
