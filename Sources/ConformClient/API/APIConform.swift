package import Conform
import Core
import Files
import HTTPServer
package import HostLoop
import JOSE
import JSON
import LocalTenant
import Synchronization

/// Judges an API: the right token first, then a request for each check.
@HostActor
package final class APIConform {
  package typealias Progress = @HostActor (_ done: Int, _ all: Int) -> Void

  private let settings: APIUnderTest.Settings
  private let program: ProgramSettings?
  private let checks: [APICheck]
  private let port: UInt16
  /// Hears of the issuer and the audience that the API has to trust.
  private let onReady: @HostActor (String) -> Void

  /// - Parameters:
  ///   - program: the program of the API, which is started with the addresses of the tenant; nil for an API that runs.
  ///   - port: the port of the tenant; 0 for any free port.
  package init(
    _ settings: APIUnderTest.Settings, program: ProgramSettings?, _ checks: [APICheck], port: UInt16,
    onReady: @escaping @HostActor (String) -> Void
  ) {
    self.settings = settings
    self.program = program
    self.checks = checks
    self.port = port
    self.onReady = onReady
  }

  package func run(progress: Progress) async throws -> ConformResult {
    let keys = try TenantKeys()
    let next = try JWK.generateRSA()
    let isNextPublished = Flag()
    let tenant = try LyingTenant(
      Self.keys(next, isNextPublished).and(.configured { [port] in $0.port = port }), keys: keys,
      kind: program?.tenant.isB2C == true ? .b2c : .externalID)
    defer { tenant.tenant.stop() }
    if settings.token == nil, program == nil { onReady(Self.trust(tenant, settings)) }
    guard let program else {
      let api = try APIUnderTest(settings, keys: keys, nextKey: next, tenant: tenant) { isNextPublished.set() }
      return try await judge(api, tenant, nil, progress)
    }
    let folder = try TemporaryPlace.makeFolder("b2c-run-conform-")
    defer { TemporaryPlace.remove(folder) }
    let stage = try ProgramStage(program, tenant, folder, audience: settings.audience)
    var settings = settings
    settings.url = stage.values.fill(settings.url)
    let api = try APIUnderTest(settings, keys: keys, nextKey: next, tenant: tenant) { isNextPublished.set() }
    let process = try stage.start()
    do {
      let result = try await judge(api, tenant, process, progress)
      try await process.stop()
      return result
    } catch {
      try await process.stop()
      throw error
    }
  }

  /// The tenant publishes the next key after `publishNextKey`, and keys of an attacker at `/keys`.
  private static func keys(_ next: JWK, _ isPublished: Flag) -> Lie {
    Lie.keys { keys, _ in
      guard isPublished.isSet else { throw NoLie() }
      keys.append(.object(try TenantKeys.published(next)))
    }.and(
      .response(.other) { response, place in
        guard place.request.path == "/keys" else { throw NoLie() }
        let keys: JSON = ["keys": [.object(try TenantKeys.published(place.keys.other))]]
        response = ServerResponse(text: keys.encoded(), type: "application/json")
      })
  }

  private func judge(
    _ api: APIUnderTest, _ tenant: LyingTenant, _ process: ProgramProcess?, _ progress: Progress
  ) async throws -> ConformResult {
    var result = ConformResult(.api, WebAddress(api.settings.url).base, [])
    if let problem = try await waitForRightToken(api, process) {
      result.signInProblem =
        Finding.unclear(problem).detail + "\n\n" + Self.trust(tenant, api.settings) + output(process)
      return result
    }
    var verdicts: [Verdict] = []
    for (index, check) in checks.enumerated() {
      progress(index, checks.count)
      let repetition = ProbeRepetition(
        check: check.check, attempt: { try await check.probe(api) }, evidence: { api.takeEvidence() })
      verdicts.append(try await repetition.verdict())
    }
    return ConformResult(.api, WebAddress(api.settings.url).base, verdicts)
  }

  /// Asks with a right token until it is accepted, or the time is over. Returns the reason why it was not.
  private func waitForRightToken(_ api: APIUnderTest, _ process: ProgramProcess?) async throws -> String? {
    let deadline = HostLoop.uptime + api.settings.timeout
    var problem = ""
    while true {
      do {
        let answer = try await api.ask(bearer: try api.token())
        if answer.isAccepted, try await api.ask(bearer: try api.token()).isAccepted { return nil }
        problem = "the API answers \(answer.status) to a right token"
        if let challenge = answer.challenges.first { problem += ", with WWW-Authenticate: \(challenge)" }
        let text = answer.text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        if !text.isEmpty { problem += "; it says: \(text.prefix(200))" }
      } catch let end as EndOfProbe { problem = end.finding.detail }
      _ = api.takeEvidence()
      if let end = process?.end { return "the program of the API ended with \(end.text)" }
      guard HostLoop.uptime < deadline else { return problem }
      try await HostLoop.shared.sleep(seconds: 0.2)
    }
  }

  private func output(_ process: ProgramProcess?) -> String {
    guard let output = process?.output, !output.isEmpty else { return "" }
    let lines = output.split(whereSeparator: \.isNewline).suffix(8).map { "  \($0)" }
    return "\nThe program printed last:\n" + lines.joined(separator: "\n")
  }

  /// The facts that an API has to be configured with.
  private static func trust(_ tenant: LyingTenant, _ settings: APIUnderTest.Settings) -> String {
    """
    The API has to trust:
      issuer    \(tenant.issuer)
      metadata  \(tenant.issuer)/.well-known/openid-configuration
      keys      \(tenant.base)/discovery/v2.0/keys
      audience  \(settings.audience)
      scp       \(settings.scopes)
    """
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }
}
