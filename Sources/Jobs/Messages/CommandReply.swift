package import JSON

/// The answer to a `JobCommand` that was carried out.
package struct CommandReply: Sendable, Equatable {
  /// The run that the command made; nil for a command that makes none.
  package var run: Int64?
  /// Why the run does not begin now; nil if it does.
  package var reason: String?

  /// The number of runs that the command made; nil for a command that makes at most one.
  package var count: Int64?
  /// A sentence for the person.
  package var note: String?

  package init(run: Int64? = nil, reason: String? = nil) { (self.run, self.reason) = (run, reason) }

  /// Throws the error that the host has answered instead.
  package init(_ json: JSON) throws(JobError) {
    if let error = RunError(json["error"]) { throw JobError(error) }
    (run, reason) = (json["run"]?.lenientInteger, json["reason"]?.string)
    (count, note) = (json["count"]?.lenientInteger, json["note"]?.string)
  }

  package var json: JSON {
    var members: [String: JSON] = ["ok": true]
    members["run"] = run.map { .integer($0) }
    members["reason"] = reason.map { .string($0) }
    members["count"] = count.map { .integer($0) }
    members["note"] = note.map { .string($0) }
    return .object(members)
  }

  /// The answer to a command that was not carried out.
  package static func json(_ error: any Error) -> JSON { ["error": RunError(error).json] }
}
