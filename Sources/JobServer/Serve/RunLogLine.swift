import Core
import Jobs

extension RunRecord {
  /// The change of a run as a log shows it; nil for changes that nobody needs to see.
  var logLine: (level: Turn.LogLevel, text: String)? {
    let name = "\(job) run \(id)"
    switch state {
    case .started where progress == nil:
      return (.info, "\(name): started" + (attempt > 1 ? ", attempt \(attempt)" : ""))
    case .ok: return (.info, "\(name): ok\(length)")
    case .failed, .timedOut, .interrupted:
      let place = error?.place.map { "\($0): " } ?? ""
      return (.error, "\(name): \(state.rawValue)\(length): \(place)\(error?.message ?? reason ?? "")")
    case .retry: return (.warn, "\(name): failed, and is tried again at \(moment(wake)): \(error?.message ?? "")")
    case .canceled: return (.warn, "\(name): canceled: \(reason ?? "")")
    case .asleep: return (.info, "\(name): asleep until \(moment(wake))")
    case .waiting: return (.info, "\(name): waits for \(reason ?? "a request")")
    case .skipped:
      let what = due == nil ? "an event of the kind \(kind)" : "the due time \(moment(due))"
      return (.warn, "\(job): skipped \(what): \(reason ?? "")")
    default: return nil
    }
  }

  private var length: String {
    guard let started, let ended else { return "" }
    return " after \(Double(max(0, ended - started)) / 1000) s"
  }

  private func moment(_ time: Int64?) -> String {
    UnixTime(Double(time ?? 0) / 1000).text("%Y-%m-%d %H:%M:%S", inLocalTime: true)
  }
}
