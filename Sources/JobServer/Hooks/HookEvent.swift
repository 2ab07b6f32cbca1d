import Core
import HTTPServer
import JSON
import Jobs

/// A received request as the event of a run. The history is no place for credentials: it gets the headers that are known to
/// have none and those that the job names, and parameters without their values if their names are those of credentials.
struct HookEvent {
  private static let knownHeaders: Set = [
    "accept-language", "content-language", "content-length", "content-type", "date", "host", "idempotency-key",
    "svix-id", "svix-timestamp", "user-agent", "webhook-id", "webhook-timestamp", "x-event-key", "x-forgejo-event",
    "x-gitea-event", "x-github-delivery", "x-github-event",
    "x-github-hook-id", "x-gitlab-event", "x-gitlab-event-uuid", "x-request-id",
  ]
  private static let secretWords: Set = [
    "auth", "authorization", "credential", "credentials", "key", "passwd", "password", "pwd", "secret", "session",
    "sid",
    "sig", "signature", "token",
  ]
  private static let secretEndings = ["apikey", "password", "secret", "signature", "token"]
  private static let redacted = "[redacted]"
  private let request: ServerRequest
  private let kept: Set<String>
  var id: String?
  /// Stands for a value that tells the runs apart, and that the event does not have.
  var lane: String?

  /// - Parameter headers: the names of the headers that the job wants beside the known ones.
  init(_ request: ServerRequest, headers: [String]) {
    self.request = request
    kept = Self.knownHeaders.union(headers.map { $0.lowercased() })
  }

  private static func isSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    return name == "code" || secretEndings.contains(where: name.hasSuffix)
      || name.split { !$0.isLetter && !$0.isNumber }.contains { secretWords.contains(String($0)) }
  }

  /// The event as the history may have it.
  /// - Parameter isComplete: true for the event with all that was sent, which only the memory may have.
  func json(isComplete: Bool = false) -> JSON {
    var query: [String: JSON] = [:]
    for (name, value) in request.query {
      query[name] = .string(!isComplete && Self.isSecret(name) ? Self.redacted : value)
    }
    var headers: [String: JSON] = [:]
    for (name, value) in request.headers {
      let name = name.lowercased()
      guard isComplete || kept.contains(name) else { continue }
      headers[name] = .string(headers[name]?.string.map { "\($0), \(value)" } ?? value)
    }
    var members: [String: JSON] = [
      "method": .string(request.method), "path": .string(request.path), "query": .object(query),
      "headers": .object(headers), "body": .string(String(pathBytes: request.body)),
    ]
    members["id"] = id.map { .string($0) }
    members[JSON.laneMember] = lane.map { .string($0) }
    return .object(members)
  }
}
