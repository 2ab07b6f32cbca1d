package import Core
package import HTTPServer
package import HostLoop
import JSON
import JobConditions
package import JobTables
package import Jobs
import Webhooks

/// Takes the requests of other programs: starts jobs, and answers runs that wait. A request is answered with 202 when its
/// row is on the disk.
@HostActor
package final class HookReceiver {
  /// The seconds for which a secret is not looked up again.
  private static let memory = 10.0
  private static let mostRecent = 100
  /// The seconds for which a request waits while the jobs are being read. Senders wait for ten seconds and more.
  static let patience = 8.0
  private let host: JobHost
  /// Makes the texts that stand for values which no history may have.
  private let digests: JobSeal
  private let findSecret: @HostActor (String) async throws -> Secret
  private var secrets: [String: (secret: Secret, until: Double)] = [:]
  /// The requests that have no answer yet.
  package private(set) var pending = 0
  /// Requests by the result, for metrics.
  package private(set) var counts: [String: Int] = [:]
  /// The last requests, the oldest first.
  private(set) var recent: [ReceivedRequest] = []

  /// - Parameters:
  ///   - digests: has the same key after each start.
  ///   - secret: finds a secret by its name.
  package init(_ host: JobHost, digests: JobSeal, secret: @escaping @HostActor (String) async throws -> Secret) {
    self.host = host
    self.digests = digests
    findSecret = secret
  }

  /// The handler of an HTTP server.
  package nonisolated func handle(_ request: ServerRequest) -> ServerResponse {
    let response = PendingResponse()
    HostActor.task {
      self.pending += 1
      let answer = await self.answer(request)
      self.note(answer, to: request)
      response.finish(answer)
      self.pending -= 1
    }
    return .later(response)
  }

  /// Sentences about the paths that take no requests, since their secrets are missing, by the names of the jobs.
  func pathsWithoutSecrets() async throws -> [String: [String]] {
    try await Self.pathsWithoutSecrets(host.desk.hooks(), secret)
  }

  /// The same of the webhooks of jobs that no server runs.
  package static func pathsWithoutSecrets(
    _ hooks: [(job: String, hook: Trigger.Hook)], _ secret: @HostActor (String) async throws -> Secret
  ) async -> [String: [String]] {
    var problems: [String: [String]] = [:]
    for (job, hook) in hooks {
      guard let name = hook.secret else { continue }
      do {
        let secret = try await secret(name)
        if let scheme = WebhookScheme(rawValue: hook.scheme.rawValue) { _ = try WebhookCheck(scheme, secret: secret) }
      } catch {
        problems[job, default: []].append("the path \(hook.path) takes no requests: \(error)")
      }
    }
    return problems
  }

  private func secret(_ name: String) async throws -> Secret {
    if let known = secrets[name], known.until > HostLoop.uptime { return known.secret }
    let secret = try await findSecret(name)
    secrets[name] = (secret, HostLoop.uptime + Self.memory)
    return secret
  }

  private func note(_ response: ServerResponse, to request: ServerRequest) {
    counts[String(response.status), default: 0] += 1
    if recent.count >= Self.mostRecent { recent.removeFirst() }
    recent.append(ReceivedRequest(request, response, at: MachineClock().now.wall))
  }

  private func answer(_ request: ServerRequest) async -> ServerResponse {
    do {
      // Before the jobs are read, nobody knows whether a path has one.
      try await host.loaded(within: Self.patience)
      // No job and no run can have another path, and such a path could equal theirs in the eyes of Unicode alone.
      guard WebhookPath.problem(request.path) == nil else { return Self.unknownPath }
      if let (job, hook) = try await host.desk.hooks().first(where: { $0.hook.path == request.path }) {
        return await start(job, hook, request)
      }
      guard try await host.desk.waits(for: request.path) else { return Self.unknownPath }
    } catch { return failed(error, at: request.path) }
    switch request.method {
    case "GET", "HEAD": return ApprovalPage.response(request)
    case "POST", "PUT", "PATCH": break
    default: return Self.wrongMethod
    }
    do {
      let event = HookEvent(request, headers: []).json()
      let isTaken = try await host.desk.receivedWait(request.path, event)
      return isTaken ? Self.text(202, "Accepted.") : Self.text(404, "Nobody waits for this any more.")
    } catch { return failed(error, at: request.path) }
  }

  private func start(_ job: String, _ hook: Trigger.Hook, _ request: ServerRequest) async -> ServerResponse {
    guard ["POST", "PUT", "PATCH"].contains(request.method) else { return Self.wrongMethod }
    var ids: [String] = []
    do {
      if let name = hook.secret, let scheme = WebhookScheme(rawValue: hook.scheme.rawValue) {
        let check = try WebhookCheck(scheme, secret: try await secret(name))
        ids = try check.check(request.headers, request.body, now: MachineClock().now.wall / 1000)
      }
      for id in ids {
        if let problem = StoredName.problem(id) { return Self.text(400, "the ID of the request \(problem)") }
      }
      var event = HookEvent(request, headers: hook.headers)
      event.id = ids.first
      if let key = hook.key, let value = event.json(isComplete: true).value(at: key),
        value != event.json().value(at: key)
      {
        event.lane = digests.digest([job, value])
      }
      switch try await host.desk.received(job, event.json(), ids: ids) {
      case .accepted: return Self.text(202, "Accepted.")
      case .repeated: return Self.text(200, "Received before.")
      case .full: return Self.text(429, "Too many runs wait.", [("Retry-After", "30")])
      }
    } catch let error as WebhookError {
      host.log(.warn, "the job \(job): a request was refused: \(error.message)")
      if error.kind == .badSecret { return failed(error, at: request.path) }
      return Self.text(error.kind == .badHeader ? 400 : 401, error.message)
    } catch { return failed(error, at: request.path) }
  }

  // MARK: Answers

  private func failed(_ error: any Error, at path: String) -> ServerResponse {
    if !host.noteOutage(error) {
      host.log(.error, "a request to \(path.displayable.clipped(to: 100)) was not taken: \(error)")
      // The store refuses the request itself: the same request has no other chance.
      if host.isRefusal(error) { return Self.text(500, "The request could not be stored.") }
    }
    return Self.text(503, "The request could not be taken.", [("Retry-After", "30")])
  }

  private static let unknownPath = text(404, "There is no webhook at this path.")

  private static let wrongMethod = text(405, "Expected POST.", [("Allow", "POST, PUT, PATCH")])

  private static func text(_ status: Int, _ text: String, _ headers: [(String, String)] = []) -> ServerResponse {
    ServerResponse(status: status, headers: headers, text: text + "\n", type: "text/plain; charset=utf-8")
  }
}
