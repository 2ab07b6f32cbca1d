package import Conform
import Core
import HTTPServer
package import HostLoop
import JSON

/// Judges a client program: two right sign-ins first, then a run for each lie, several at the same time.
@HostActor
package final class ClientConform {
  package typealias Progress = @HostActor (_ done: Int, _ all: Int) -> Void

  private let trial: ClientTrial
  private let checks: [ClientCheck]
  private let concurrency: Int
  /// The number of times that the program was started.
  package private(set) var starts = 0

  package init(_ settings: ProgramSettings, _ checks: [ClientCheck], concurrency: Int) throws {
    trial = try ClientTrial(settings)
    self.checks = checks
    self.concurrency = settings.concurrency ?? concurrency
  }

  /// Runs all checks. A result without verdicts has the reason why the right sign-in did not work.
  package func run(_ name: String, progress: Progress) async throws -> ConformResult {
    var runs: [ClientRun] = []
    for _ in 0..<2 {
      let run = try await start(.none, quiet: nil)
      guard run.isSuccess else {
        var result = ConformResult(.client, name, [])
        result.signInProblem = SignInReport(run, trial.settings).text
        return result
      }
      runs.append(run)
    }
    // A program that is slow in itself gets more time before it counts as idle.
    let quiet = max(2, 2 * (runs.map(\.duration).max() ?? 0))
    let refused = try await start(
      .callback { fields, _ in fields.refuse("access_denied") }.and(Self.refusedGrants), quiet: quiet)
    let garbled = try await start(
      .tokens { members, _ in
        guard members["id_token"] != nil else { throw NoLie() }
        members["id_token"] = "no-token"
      }, quiet: quiet)
    let rights = ClientCheck.Rights(
      runs: runs, tellsRefusal: !refused.isSuccess, readsIDTokens: !garbled.hasLie || !garbled.isSuccess)
    let verdicts = try await judge(rights, quiet, progress)
    var result = ConformResult(.client, name, verdicts)
    result.facts = [("starts", String(starts)), ("endings", runs.map(\.resultText).joined(separator: "; "))]
    return result
  }

  /// For programs without a browser: no grant is good.
  private static let refusedGrants = Lie.error(.token, 400, ["error": "invalid_grant"])

  private func start(_ lie: Lie, quiet: Double?) async throws -> ClientRun {
    starts += 1
    return try await trial.run(lie, quiet: quiet)
  }

  private func judge(
    _ rights: ClientCheck.Rights, _ quiet: Double, _ progress: Progress
  ) async throws -> [Verdict] {
    var findings = [(Finding, ClientRun?)?](repeating: nil, count: checks.count)
    var waiting: [Int] = []
    for (index, check) in checks.enumerated() {
      if let finding = check.findingWithoutRun(rights) {
        findings[index] = (finding, check.lie == nil ? rights.runs[0] : nil)
      } else {
        waiting.append(index)
      }
    }
    let all = checks.count
    var done = all - waiting.count
    progress(done, all)
    var next = 0
    try await withThrowingTaskGroup(of: (Int, Finding, ClientRun).self) { group in
      func add() {
        guard next < waiting.count else { return }
        let index = waiting[next]
        next += 1
        group.addTask { [self] in
          let (finding, run) = try await tryOut(checks[index], rights, quiet)
          return (index, finding, run)
        }
      }
      for _ in 0..<max(1, concurrency) { add() }
      while let (index, finding, run) = try await group.next() {
        findings[index] = (finding, run)
        done += 1
        progress(done, all)
        add()
      }
    }
    // A check that fails is repeated once, alone.
    for index in waiting {
      guard let (first, run) = findings[index], first.kind == .broken || first.kind == .unclear else { continue }
      let (second, again) = try await tryOut(checks[index], rights, quiet)
      if second.kind == first.kind {
        findings[index] = (first, run)
      } else if first.kind == .unclear || second.kind == .unclear {
        findings[index] = (second.kind == .unclear ? first : second, again)
      } else {
        findings[index] = (.unclear("two runs differ. First: \(first.detail). Then: \(second.detail)"), again)
      }
    }
    return checks.indices.map { index in
      let (finding, run) = findings[index] ?? (.unclear("the check did not run"), nil)
      return Verdict(checks[index].check, finding, run.map { Self.evidence($0) } ?? [])
    }
  }

  private func tryOut(
    _ check: ClientCheck, _ rights: ClientCheck.Rights, _ quiet: Double
  ) async throws -> (Finding, ClientRun) {
    let run = try await start(check.lie ?? .none, quiet: quiet)
    return (check.finding(run, rights), run)
  }

  /// The lie and the requests around it: the last before it, and the first after it. Without a lie, all that matter.
  private static func evidence(_ run: ClientRun) -> [Evidence] {
    let shown = run.exchanges.enumerated().filter { $0.element.part != .pages }
    let lies = shown.filter { $0.element.isLie }
    let picked = lies.isEmpty ? shown : lies + shown.filter { pair in lies.contains { $0.offset < pair.offset } }
    return picked.prefix(8).map { $0.element.evidence(line: $0.offset + 1) }
  }
}

extension Exchange {
  /// The fields whose values say something and are no secret.
  private static let shownFields: Set<String> = [
    "grant_type", "response_type", "response_mode", "scope", "code_challenge_method", "redirect_uri", "client_id",
    "prompt", "max_age", "error", "resource",
  ]

  func evidence(line: Int) -> Evidence {
    let sent = fields.map { (name: $0.0, value: Self.shownFields.contains($0.0) ? $0.1 : "[…]") }
    let error = json?["error"]?.string
    let location = response.headers.first { $0.0 == "Location" }?.1
    let names = json.map { members in
      "JSON with \(members.keys.sorted().prefix(12).joined(separator: ", "))\(members.count > 12 ? ", …" : "")"
    }
    let target = location.map { location in
      let address = WebAddress(location)
      let names = (address.fields.map(\.name) + URLEncodedForm.decode(address.fragment ?? "").map(\.0))
      return "a redirect to \(address.base) with \(names.joined(separator: ", "))"
    }
    let received = target ?? names ?? "\(response.body.count) bytes"
    return Evidence(
      request: "\(request.method) \(request.path)", sent: sent, status: response.status, code: error,
      received: (isLie ? "the lie: " : "") + received, line: line)
  }
}

/// The explanation why the right sign-in did not work, and what the program has to do.
struct SignInReport {
  let text: String

  init(_ run: ClientRun, _ settings: ProgramSettings) {
    var lines = ["\(run.resultText)."]
    if let problem = run.browserProblem { lines.append("In the browser: \(problem).") }
    if run.exchanges.isEmpty {
      lines.append("The program sent no request to the tenant.")
    } else {
      lines.append("The tenant saw:")
      lines += run.exchanges.suffix(20).map { "  \($0.line)" }
    }
    let output = run.lastOutput()
    lines.append(
      output.isEmpty ? "The program printed nothing." : "The program printed last:\n" + Self.indented(output))
    lines += ["", "What is expected of the program:"] + Self.expectations(run, settings).map { "  - \($0)" }
    text = lines.joined(separator: "\n")
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
  }

  private static func expectations(_ run: ClientRun, _ settings: ProgramSettings) -> [String] {
    var list = [
      "It uses the tenant's addresses: {issuer}, {client_id}, {redirect_uri} … in its arguments, CONFORM_ISSUER … in its environment, or --env and --file.",
      "It opens the authorization request with $BROWSER or xdg-open; if it prints the address, give --url-from-output; for a web application give --visit URL.",
      "Its redirect URI is on this machine, such as {redirect_uri}.",
    ]
    if case .timeout = run.ending {
      list.append("It ends within \(Int(settings.timeout)) s (--timeout), or prints what --success PATTERN matches.")
    } else if settings.output.success == nil {
      list.append("Its exit status is 0 if, and only if, the user is signed in; else give --success PATTERN.")
    } else {
      list.append("Its output matches --success PATTERN, and not --failure PATTERN.")
    }
    return list
  }
}
