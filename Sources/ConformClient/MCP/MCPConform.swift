package import Conform
import Core
import Files
import HTTPServer
package import HostLoop
import JOSE
import LocalTenant
import MCP

/// Judges an MCP server: its documents first, then with right and wrong tokens, if there are any.
@HostActor
package final class MCPConform {
  package typealias Progress = @HostActor (_ done: Int, _ all: Int) -> Void

  /// The server that is judged.
  package enum Place: Sendable {
    /// The local tenant with this fault.
    case local(Lie)
    /// A program that is started, and trusts the local tenant.
    case program(ProgramSettings)
    /// A server that runs, and trusts the local tenant at this port.
    case trusting(UInt16)
    /// A server that runs, with the token of the settings or without a token.
    case foreign
  }

  private var settings: APIUnderTest.Settings
  private let place: Place
  private let checks: [MCPCheck]
  private let hasAudience: Bool
  private let hasScopes: Bool
  private let version: MCPVersion?
  /// Hears of the issuer that the server has to trust.
  private let onReady: @HostActor (String) -> Void

  /// - Parameters:
  ///   - settings: the address, and a token if there is one.
  ///   - audience: `aud` of right tokens; nil for the address of the server.
  ///   - scopes: the scopes of right tokens; nil for those that the server names.
  ///   - version: the version of the protocol, such as `2025-11-25`; nil for the newest one that the server answers.
  package init(
    _ settings: APIUnderTest.Settings, at place: Place, audience: String?, scopes: String?, version: String?,
    _ checks: [MCPCheck], onReady: @escaping @HostActor (String) -> Void = { _ in }
  ) {
    self.settings = settings
    self.settings.scopes = scopes ?? settings.scopes
    self.settings.audience = audience ?? settings.url
    (hasAudience, hasScopes) = (audience != nil, scopes != nil)
    self.place = place
    self.version = version.flatMap(MCPVersion.init)
    self.checks = checks
    self.onReady = onReady
  }

  package func run(progress: Progress) async throws -> ConformResult {
    let keys = try TenantKeys()
    var lie = Lie.none
    if case .local(let fault) = place { lie = fault }
    if case .trusting(let port) = place { lie = .configured { $0.port = port } }
    let tenant = try LyingTenant(lie, keys: keys, kind: .externalID, isMCP: isLocal)
    defer { tenant.tenant.stop() }
    guard case .program(let program) = place else {
      if isLocal { name("\(tenant.tenant.url)/mcp") }
      if case .trusting = place { onReady(trust(tenant)) }
      return try await judge(keys, tenant, nil, progress)
    }
    let folder = try TemporaryPlace.makeFolder("b2c-run-conform-")
    defer { TemporaryPlace.remove(folder) }
    let stage = try ProgramStage(program, tenant, folder, audience: hasAudience ? settings.audience : nil)
    name(stage.values.fill(settings.url))
    let process = try stage.start()
    do {
      let result = try await judge(keys, tenant, process, progress)
      try await process.stop()
      return result
    } catch {
      try await process.stop()
      throw error
    }
  }

  private var isLocal: Bool { if case .local = place { true } else { false } }

  private func name(_ url: String) {
    settings.url = url
    if !hasAudience { settings.audience = url }
  }

  private func judge(
    _ keys: TenantKeys, _ tenant: LyingTenant, _ process: ProgramProcess?, _ progress: Progress
  ) async throws -> ConformResult {
    var verdicts: [Verdict] = []
    let api = try APIUnderTest(settings, keys: keys, nextKey: keys.other, tenant: tenant) {}
    let server: MCPUnderTest
    do { server = try await found(api, process) } catch let end as EndOfProbe {
      var result = ConformResult(.mcp, WebAddress(settings.url).base, [])
      result.signInProblem = end.finding.detail + explanation(tenant, process)
      return result
    }
    for (index, check) in checks.enumerated() {
      progress(index, checks.count)
      let repetition = ProbeRepetition(
        check: check.check, attempt: { try await check.probe(server) }, evidence: { server.api.takeEvidence() })
      verdicts.append(try await repetition.verdict())
    }
    var result = ConformResult(.mcp, WebAddress(settings.url).base, verdicts)
    result.facts = [("version", server.version.rawValue), ("tokens", "\(server.tokens)")]
    return result
  }

  /// Asks the server until it answers, and accepts a right token if there are tokens.
  /// - Throws: `EndOfProbe` with the reason when the time is over.
  private func found(_ api: APIUnderTest, _ process: ProgramProcess?) async throws -> MCPUnderTest {
    let deadline = HostLoop.uptime + settings.timeout
    while true {
      do { return try await accepted(api) } catch let end as EndOfProbe {
        _ = api.takeEvidence()
        if let end = process?.end {
          throw EndOfProbe(.unclear("the program of the server ended with \(end.text)"))
        }
        guard HostLoop.uptime < deadline else { throw end }
      }
      try await HostLoop.shared.sleep(seconds: 0.2)
    }
  }

  private func accepted(_ api: APIUnderTest) async throws -> MCPUnderTest {
    let versions = version.map { [$0] } ?? [.stateless, .newestWithSessions]
    let server = try await MCPUnderTest(api, tokens, version: versions[0])
    if !hasScopes, !isLocal, !server.documents.scopes.isEmpty {
      api.demand(scopes: server.documents.scopes.joined(separator: " "))
    }
    guard server.tokens != .none else { return server }
    var last: APIUnderTest.Answer?
    for version in versions {
      server.version = version
      let answer = try await server.ask()
      _ = api.takeEvidence()
      if answer.isAccepted { return server }
      last = answer
    }
    var problem = "the server answers \(last?.status ?? 0) to a right token"
    if let challenge = last?.challenges.first { problem += ", with WWW-Authenticate: \(challenge)" }
    throw EndOfProbe(.unclear(problem))
  }

  private var tokens: MCPUnderTest.Tokens {
    switch place {
    case .foreign: settings.token == nil ? .none : .given
    case .local, .program, .trusting: .made
    }
  }

  /// The facts that a server has to be configured with.
  private func trust(_ tenant: LyingTenant) -> String {
    """
    The server has to trust:
      issuer    \(tenant.issuer)
      metadata  \(tenant.issuer)/.well-known/openid-configuration
      keys      \(tenant.base)/discovery/v2.0/keys
      audience  \(settings.audience)
    """
  }

  private func explanation(_ tenant: LyingTenant, _ process: ProgramProcess?) -> String {
    guard tokens == .made else { return "" }
    let lines = (process?.output ?? "").split(whereSeparator: \.isNewline).suffix(8).map { "  \($0)" }
    let said = lines.isEmpty ? "" : "\nThe program printed last:\n" + lines.joined(separator: "\n")
    return "\n\n" + trust(tenant) + said
  }
}
