import JSON
import Jobs

/// A run with all that belongs to it.
struct RunDetails {
  let run: RunRecord
  let steps: [JobStore.Step]
  let attachments: [JobStore.Attachment]
  let log: RunLog

  var json: JSON {
    guard case .object(var members) = run.overview else { return .null }
    members["steps"] = .array(
      steps.map {
        .object([
          "name": .string($0.name), "number": .integer(Int64($0.number)), "result": $0.result,
          "ended": .instant($0.ended),
        ])
      })
    members["attachments"] = .array(
      attachments.map { .object(["title": .string($0.title), "path": .string($0.path)]) })
    return .object(members)
  }
}
