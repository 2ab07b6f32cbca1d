package import Core

/// The error of a file that is not a plan, or not the plan that was written.
package typealias PlanError = DomainError<PlanProblem>

/// The kinds of `PlanError`.
package enum PlanProblem: String, FailureKind {
  case unreadable
  /// The file is something else.
  case notAPlan = "not_a_plan"
  /// A newer version of this program wrote it.
  case tooNew = "plan_too_new"
  /// Its bytes are not those that were written.
  case changed = "plan_changed"
  /// Its end is missing.
  case cutOff = "plan_cut_off"
  /// The bytes are those that were written, but a line has a meaning that this program does not know.
  case invalid = "plan_invalid"
}

extension PlanError {
  /// - Parameter reason: a sentence without its subject, such as `it is a folder`.
  static func unreadable(_ name: String, _ reason: String) -> PlanError {
    PlanError(.unreadable, "\(name) cannot be read: \(reason)", details: ["path": name])
  }

  static func notAPlan(_ name: String) -> PlanError {
    PlanError(
      .notAPlan, "\(name) is not a plan of b2c-run",
      hint: "b2c-run import FILE --plan PLAN writes the plan PLAN of a list of tasks",
      details: ["path": name])
  }

  /// - Parameter reader: the first version of the program that reads the format; nil if the file does not tell.
  static func tooNew(_ name: String, format: String, readBy reader: String?) -> PlanError {
    PlanError(
      .tooNew, "\(name) is a plan in format \(format), and this program reads format \(PlanFormat.version)",
      hint: reader.map { "b2c-run \($0) or newer reads it" } ?? "use the version of b2c-run that wrote it",
      details: ["path": name])
  }

  static func changed(_ name: String, _ reason: String) -> PlanError {
    PlanError(
      .changed, "\(name) has been changed since it was written: \(reason)", hint: again(name), details: ["path": name])
  }

  static func cutOff(_ name: String) -> PlanError {
    PlanError(.cutOff, "\(name) is cut off: its end is missing", hint: again(name), details: ["path": name])
  }

  static func invalid(_ name: String, line: Int, _ reason: String) -> PlanError {
    PlanError(
      .invalid, "\(name), line \(line): \(reason)", hint: again(name), details: ["path": name, "line": String(line)])
  }

  private static func again(_ name: String) -> String { "make a new plan: b2c-run import FILE --plan \(name)" }
}
