import Core
import Crypto
import HTTPServer
import HostLoop
import JSON
import JobConditions
import Jobs
import Schedule

/// The pages, the JSON API and the metrics of a job host: for this machine, or for those who sign in.
@HostActor
final class JobWebServer {
  /// A request, with the parts of its path.
  struct Request {
    let http: ServerRequest
    let parts: [String]
    var visitor = Visitor()
    var isAPI: Bool { parts.first == "api" }
    /// Throws `bad_request` for a parameter that is no number.
    func number(_ name: String) throws(JobError) -> Int64? {
      guard let text = text(name) else { return nil }
      guard let number = Int64(text), number >= 0 else {
        throw JobError("bad_request", "\(name): expected a whole number, got \"\(text.displayable.clipped(to: 60))\"")
      }
      return number
    }
    func text(_ name: String) -> String? { http.query.first { $0.0 == name }?.1 }
  }

  let host: JobHost
  private let state: StateFolder
  let zone: Zone
  private let hooks: HookReceiver?
  let signIn: PageSignIn?
  private let accounts: @HostActor () async throws -> [KeptAccount]
  private let metrics: JobMetrics
  private let health: Health
  /// The forms of a session have a token that no other site knows, so that no page of another site can send one (CSRF).
  private let formKey = SecureRandom.bytes(32)

  /// - Parameters:
  ///   - hooks: counts received requests; nil if none are taken.
  ///   - signIn: nil for pages that all of this machine may use.
  ///   - health: the answer to whether the server takes what comes.
  ///   - accounts: finds the accounts that the jobs use.
  init(
    _ host: JobHost, _ state: StateFolder, zone: Zone, hooks: HookReceiver?, signIn: PageSignIn?,
    health: Health, accounts: @escaping @HostActor () async throws -> [KeptAccount]
  ) {
    self.host = host
    self.health = health
    self.state = state
    self.zone = zone
    self.hooks = hooks
    self.signIn = signIn
    self.accounts = accounts
    metrics = JobMetrics(host)
  }

  /// The handler of an HTTP server.
  nonisolated func handle(_ request: ServerRequest) -> ServerResponse {
    let pending = PendingResponse()
    HostActor.task { pending.finish(await self.answer(request)) }
    return .later(pending)
  }

  private func answer(_ http: ServerRequest) async -> ServerResponse {
    var request = Request(http: http, parts: http.path.split(separator: "/").map(String.init))
    // Whoever watches the server may ask by its number, and learns nothing else.
    if let response = await health.answer(http.path) { return response }
    guard let host = http.header("Host"), isOwn(host) else {
      let names = signIn == nil ? "localhost alone" : "its own name alone"
      return problem(request, 421, "This server answers requests to \(names).")
    }
    if let signIn {
      switch await signIn.admit(http) {
      case .answered(let response): return response
      case .admitted(let visitor): request.visitor = visitor
      }
    }
    do {
      // Pages and metrics say the same as /readyz.
      _ = await health.condition()
      switch http.method {
      case "GET", "HEAD": return try await show(request)
      case "POST": return try await change(request)
      default: return problem(request, 405, "Expected GET or POST.")
      }
    } catch let error as JobError where error.isRetryable {
      return problem(request, 503, error.description, retryAfter: 5)
    } catch let error as JobError {
      let status = error.code == "bad_request" ? 400 : error.code.hasPrefix("no_") ? 404 : 409
      return problem(request, status, error.description)
    } catch {
      guard self.host.noteOutage(error) else { return problem(request, 500, "\(error)") }
      return problem(
        request, 503, "The database is away. Running jobs are not disturbed. Try again in a minute.",
        retryAfter: 10)
    }
  }

  /// Another site's name could lead to this address (DNS rebinding).
  private func isOwn(_ host: String) -> Bool {
    if let signIn { return signIn.isOwnHost(host) }
    let address = try? ListenAddress(parsing: host.contains(":") && !host.hasSuffix("]") ? host : "\(host):80")
    return address?.isLoopback ?? false
  }

  // MARK: Pages and data

  private func show(_ request: Request) async throws -> ServerResponse {
    let parts = request.parts
    switch (parts.first, parts.count) {
    case (nil, _): return page(try await jobs(request), request)
    case ("jobs", 2):
      let job = try await overview(parts[1])
      return page(
        DashboardPage.job(job, try await runs(of: job.record.name, request), zone, formToken(request)), request)
    case ("runs", 1): return page(DashboardPage.runs(try await runs(of: nil, request), zone), request)
    case ("runs", 2): return page(DashboardPage.run(try await details(parts[1]), zone, formToken(request)), request)
    case ("runs", 4) where parts[2] == "files": return try await attachment(parts[1], parts[3])
    case ("webhooks", 1):
      return page(
        DashboardPage.webhooks(
          try await host.desk.hooks(), hooks?.recent ?? [], try await host.store.jobs().filter { !$0.warnings.isEmpty },
          machine: host.machine, zone), request)
    case ("agents", 1): return page(try agents(request), request)
    case ("accounts", 1): return page(DashboardPage.accounts(try await accounts(), zone), request)
    case ("machines", 1):
      return page(DashboardPage.machines(try await host.store.machines(), own: host.machine, zone), request)
    case ("metrics", 1):
      let part = try await part(request)
      let text = metrics.text(part, hooks: hooks?.counts ?? [:], machines: try await host.store.machines())
      return self.text(text, type: JobMetrics.type)
    case ("api", 2) where parts[1] == "machines": return json(.array(try await host.store.machines().map(\.json)))
    case ("api", 2) where parts[1] == "openapi.json": return json(OpenAPI.description)
    case ("api", 2) where parts[1] == "jobs":
      let part = try await part(request)
      return json(.array(part.jobs.map(\.json)), part.next.map { [("Link", "<\($0)>; rel=\"next\"")] } ?? [])
    case ("api", 3) where parts[1] == "jobs": return json(try await overview(parts[2]).json)
    case ("api", 2) where parts[1] == "runs":
      return json(.array(try await runs(of: request.text("job"), request).map(\.overview)))
    case ("api", 3) where parts[1] == "runs": return json(try await details(parts[2]).json)
    case ("api", 4) where parts[1] == "runs" && parts[3] == "log": return try await log(parts[2], request)
    case ("api", 2) where parts[1] == "webhooks": return json(.array((hooks?.recent ?? []).reversed().map(\.json)))
    case ("api", 2) where parts[1] == "accounts": return json(.array(try await accounts().map(\.json)))
    default: return problem(request, 404, "There is no such page.")
    }
  }

  var now: Int64 { MachineClock().now.wall }

  private func overview(_ name: String) async throws -> JobOverview {
    guard let record = try await host.store.job(name) else {
      throw JobError.noJob(name, among: try await host.store.jobs().map(\.name))
    }
    return try await JobOverview(record, host.store, zone: zone, now: now)
  }

  private func runs(of job: String?, _ request: Request) async throws -> [RunRecord] {
    var filter = JobStore.Filter()
    filter.job = job
    filter.failed = request.text("failed") != nil
    filter.before = try request.number("before")
    filter.limit = Int(min(max(try request.number("limit") ?? 50, 1), 1000))
    return try await host.store.runs(filter)
  }

  private func details(_ id: String) async throws -> RunDetails {
    let id = try number(ofRun: id)
    guard let run = try await host.store.run(id) else { throw JobError.noRun(id) }
    return RunDetails(
      run: run, steps: try await host.store.steps(of: id), attachments: try await host.store.attachments(of: id),
      log: try await RunLog(of: run, host.store, in: state.logs, own: host.machine))
  }

  private func number(ofRun text: String) throws(JobError) -> Int64 {
    guard let id = Int64(text) else {
      throw JobError("no_run", "there is no run \(text.displayable.clipped(to: 60))", hint: "runs have numbers")
    }
    return id
  }

  private func log(_ id: String, _ request: Request) async throws -> ServerResponse {
    let log = try await details(id).log
    if let problem = log.problem(hint: nil) { throw problem }
    let rest = log.text.utf8.dropFirst(Int(clamping: try request.number("from") ?? 0))
    return text(String(decoding: rest, as: UTF8.self))
  }

  /// A page that a run has attached. It has no access to this one.
  private func attachment(_ id: String, _ number: String) async throws -> ServerResponse {
    let details = try await details(id)
    let attachments = details.attachments
    guard let index = Int(number), attachments.indices.contains(index) else {
      throw JobError("no_attachment", "the run \(id) has no attachment \(number)")
    }
    let file = try AttachedFile(attachments[index], on: host.machine)
    return ServerResponse(
      status: 200,
      headers: [
        ("Content-Security-Policy", "sandbox allow-scripts"), ("X-Content-Type-Options", "nosniff"),
        ("Content-Type", file.type),
      ], body: file.bytes)
  }

  // MARK: Changes

  private func change(_ request: Request) async throws -> ServerResponse {
    // Another site's page can send a form, but neither this token nor JSON (Fetch, CORS-safelisted request headers).
    let isAllowed =
      request.isAPI
      ? request.http.mediaType == "application/json"
      : HMAC.areEqual(
        Array((request.http.form.first { $0.0 == "token" }?.1 ?? "").utf8), Array(formToken(request).utf8))
    guard isAllowed else {
      return problem(
        request, 403,
        request.isAPI ? "Send the content type application/json." : "The form is too old. Load the page again.")
    }
    if let signIn, request.parts == ["sign-out"] { return await signIn.signOut(request.visitor) }
    if request.parts.first == "agents" { return try answerAgent(request) }
    let parts = request.isAPI ? Array(request.parts.dropFirst()) : request.parts
    guard parts.count == 3, JobCommand.actions[parts[0]]?.contains(parts[2]) == true else {
      return problem(request, 404, "There is no such action.")
    }
    var command = request.isAPI ? try JobCommand.body(of: parts[2]).members(ofBody: request.http.body) : [:]
    if !request.isAPI, let wait = DashboardPage.seenApproval(in: request.http.form) { command["wait"] = .integer(wait) }
    command["op"] = .string(parts[2])
    command["by"] = request.visitor.name.map { .string($0) }
    if parts[0] == "jobs" {
      command["job"] = .string(parts[1])
    } else {
      command["run"] = .integer(try number(ofRun: parts[1]))
    }
    try await host.loaded(within: HookReceiver.patience)
    let reply = try await host.desk.answer(JobCommand(.object(command)))
    if request.isAPI { return json(reply.json) }
    let place =
      reply.run.map { "/runs/\($0)" } ?? "/\(parts[0])/\(URLEncodedForm.percentEncode(parts[1]))"
    return ServerResponse(status: 303, headers: [("Location", place)])
  }

  // MARK: Answers

  func formToken(_ request: Request) -> String {
    Base64URL.encode(HMAC.sha256(key: formKey, Array(request.visitor.session.utf8)))
  }

  private func page(
    _ page: DashboardPage, _ request: Request, _ status: Int = 200, _ headers: [(String, String)] = []
  ) -> ServerResponse {
    page.response(
      status, headers, notice: host.condition.isReady ? host.pauseNotice : host.condition.text,
      name: request.visitor.name,
      token: formToken(request), isShared: host.machine != nil)
  }

  private func json(_ json: JSON, status: Int = 200, _ headers: [(String, String)] = []) -> ServerResponse {
    ServerResponse(
      status: status, headers: DashboardPage.noPage + headers, text: OutputText(json.encoded()).text + "\n",
      type: "application/json")
  }

  private func text(
    _ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8"
  ) -> ServerResponse {
    ServerResponse(
      status: status, headers: DashboardPage.noPage, text: text, type: type)
  }

  private func problem(
    _ request: Request, _ status: Int, _ message: String, retryAfter seconds: Int? = nil
  ) -> ServerResponse {
    let headers = seconds.map { [("Retry-After", "\($0)")] } ?? []
    guard !request.isAPI else {
      return json(.object(["error": ["message": .string(message)]]), status: status, headers)
    }
    return page(DashboardPage.problem(message), request, status, headers)
  }
}
