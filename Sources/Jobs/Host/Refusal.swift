import Databases

extension Error {
  /// True if the error is about one thing that a turn does, and not about the store as a whole: the same without the thing
  /// works.
  var isRefusal: Bool {
    switch self {
    case let error as JobError: error.code != JobError.fenced.code && error.code != JobError.standingBy.code
    case is DamagedRow: true
    case let error as PostgresError: error.kind == .constraint || error.kind == .other && error.sqlState != nil
    case let error as SQLiteError: error.kind == .constraint || error.kind == .other
    default: false
    }
  }
}
