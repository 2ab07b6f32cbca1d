import Automation
import CommandLine
import Commands
import Conform
import ConformProvider
import Core
import Glibc
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Settings
import Terminal

/// One run of `conform provider`.
@HostActor
struct ProviderJudgment {
  let command: ConformCommand
  let run: RunOptions
  let console: Console

  func judge(_ words: [String]) async throws -> ExitStatus {
    guard words.count <= 2 else { throw UsageError("conform provider: unexpected argument '\(words[2])'") }
    let tenant = try run.startTenant(console)
    defer { tenant?.stop() }
    var options = try await subject(words.dropFirst().first, tenant)
    options.http = HTTPClientConfiguration(
      caFile: try run.session.caFile ?? run.tenantCertificate?.path, maximumConnectionsPerHost: 8)
    options.mayLock = command.provider.mayLock || tenant != nil
    let checks = ProviderCheck.all.filter { command.selection.has($0.check) }
    let isLoopback = Origin(options.metadataURL)?.isLoopback == true
    options.rate = command.provider.rate ?? (isLoopback ? nil : 5)
    options.isActive = try isAgreed(options, checks, isLoopback)
    let provider = try await ProviderRun(options)
    let problem = try await provider.signIn()
    let verdicts = try await provider.run(checks) { number, check in
      console.show(progress: "\(number + 1) of \(checks.count)  \(check.id)")
    }
    console.finish(progress: "")
    var result = ConformResult(.provider, WebAddress(options.metadataURL).shown, verdicts)
    result.signInProblem = problem
    return try ResultOutput(options: command.results, console: console).give(result)
  }

  // MARK: The subject

  /// The provider of the address, of `--local`, or of the settings.
  private func subject(_ address: String?, _ tenant: LocalTenant?) async throws -> ProviderUnderTest.Options {
    if let tenant {
      guard address == nil else {
        throw UsageError("conform provider: --local is a provider itself", hint: "leave '\(address ?? "")' out")
      }
      return try ProviderUnderTest.Options(tenant)
    }
    guard let address else { return try await subjectOfSettings() }
    guard Origin(address) != nil else {
      throw UsageError("conform provider: expected an http or https address, got '\(address)'")
    }
    let suffix = "/.well-known/"
    let base = address.hasSuffix("/") ? String(address.dropLast()) : address
    var options = ProviderUnderTest.Options(
      metadataURL: address.contains(suffix) ? address : "\(base)\(suffix)openid-configuration")
    if !address.contains(suffix) { options.issuer = address }
    return options
  }

  private func subjectOfSettings() async throws -> ProviderUnderTest.Options {
    let source = run.session.settings
    guard source.file != nil || !source.overrides.isEmpty else {
      throw UsageError(
        "conform provider: no provider is named", hint: "give its address, --settings FILE, or --local")
    }
    let session = Session(run.session, console: console, tenant: nil)
    let settings = try session.settings()
    guard let url = settings.metadataURL(policy: nil) else {
      throw UsageError("conform provider: \(settings.source) names no provider", hint: "put authority into the settings")
    }
    var options = ProviderUnderTest.Options(metadataURL: url)
    options.issuer = settings.issuer
    let method = ProviderClient.Method(rawValue: settings.clientAuthentication ?? "")
    options.client = ProviderClient(
      id: try settings.clientID, method: method ?? (settings.clientSecret == nil ? .none : .basic),
      secret: settings.clientSecret, redirectURI: try settings.redirectURL,
      scope: settings.scopes.joined(separator: " "))
    options.user = try await user()
    return options
  }

  /// The user of `--username`, with a password that is kept or asked for; nil without one.
  private func user() async throws -> ProviderUser? {
    guard let name = command.provider.username else { return nil }
    if let secret = command.provider.passwordSecret {
      return ProviderUser(name: name, password: try await KeptSecrets(run.session, console).secret(secret))
    }
    guard let terminal = ControllingTerminal.shared else {
      throw UsageError(
        "conform provider: there is no terminal to ask for the password of \(name)",
        hint: "give --password-secret NAME, a secret of b2c-run secrets")
    }
    let typed = try await terminal.line(.secret) {
      console.ask(DecisionText("Password of \(name): "), on: STDERR_FILENO)
    }
    console.asked()
    guard let typed else { throw UsageError("conform provider: no password was typed") }
    return ProviderUser(name: name, password: Secret(typed))
  }

  // MARK: Agreement

  /// The most requests of an active check.
  private static let requestsOfCheck = 8

  /// True if the run may sign in. Asks about a provider that is not on this machine.
  private func isAgreed(
    _ options: ProviderUnderTest.Options, _ checks: [ProviderCheck], _ isLoopback: Bool
  ) throws -> Bool {
    let active = checks.count { $0.check.danger != .passive }
    if command.provider.isPassive || active == 0 { return false }
    if command.provider.isActive || isLoopback { return true }
    guard options.client != nil, options.user != nil else { return false }
    let name = Origin(options.metadataURL)?.host ?? options.metadataURL
    guard PermissionPrompt.canAsk else {
      throw UsageError(
        "conform provider: nobody can be asked before it signs in with mistakes at \(name)",
        hint: "run it on a terminal, or give --active or --passive")
    }
    let facts = [
      "\(active) checks sign in at \(name), most of them with a mistake: up to \(active * Self.requestsOfCheck * 2) requests.",
      "The provider may log the mistakes. Without --may-lock no check looks like an attack on the account.",
    ]
    guard PermissionPrompt.person(console).confirm(facts, "Sign in there?") == true else {
      throw ConformError(.notAgreed, "the checks were not agreed to, and nothing was sent to \(name)")
    }
    return true
  }
}

extension ProviderUnderTest.Options {
  /// The local tenant, with its two applications and its first user.
  init(_ tenant: LocalTenant) throws {
    let settings = tenant.settings
    let authority = settings["authority"]?.string ?? tenant.url
    self.init(metadataURL: "\(authority)/v2.0/.well-known/openid-configuration")
    issuer = "\(authority)/v2.0"
    let scopes = ["openid", "offline_access", "https://contoso.onmicrosoft.com/tasks/read"].joined(separator: " ")
    let redirectURI = "http://127.0.0.1:9/callback"
    func client(_ id: String, _ method: ProviderClient.Method) -> ProviderClient {
      ProviderClient(id: id, method: method, redirectURI: redirectURI, scope: scopes)
    }
    var own = client(LocalTenant.nativeApplication.id, .none)
    var web = client(LocalTenant.webApplication.id, .post)
    web.secret = LocalTenant.webApplication.secret.map { Secret($0) }
    var keyed = client(LocalTenant.keyApplication.id, .keyJWT)
    keyed.key = try PrivateKey(jwk: LocalTenant.clientKey, at: "the key of the local tenant")
    if tenant.profile == .fapi2 { swap(&own, &keyed) }
    self.client = own
    otherClient = web
    keyClient = tenant.profile == .fapi2 ? own : keyed
    user = LocalTenant.seededUsers.first.map { ProviderUser(name: $0.username, password: Secret($0.password)) }
  }
}
