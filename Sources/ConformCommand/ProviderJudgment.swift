import Automation
import CommandLine
import Commands
import Conform
import ConformProvider
import Core
import Glibc
import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Parties
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
    var run = run
    if run.session.localTenant != nil { run.imitate(command.selection.profile) }
    let habits = run.session.localTenant == nil ? [:] : LocalHabits.reasons(run.profile)
    let comparison = try ResultComparison(command.results, habits: habits)
    let tenant = try run.startTenant(console)
    defer { tenant?.stop() }
    var options = try await subject(words.dropFirst().first, tenant)
    options.http = try http
    try takeHabits(&options)
    options.mayLock = command.provider.mayLock || tenant != nil
    let checks = ProviderCheck.all.filter { command.selection.has($0.check) }
    let isLoopback = Origin(options.metadataURL)?.isLoopback == true
    options.rate = command.provider.rate ?? (isLoopback ? nil : 5)
    options.isActive = try isAgreed(options, checks, isLoopback)
    let registration: ClientRegistration?
    let provider: ProviderRun
    do {
      registration = try await self.registration(&options)
      provider = try await ProviderRun(options)
    } catch let error as any Failure where !(error is UsageError) {
      console.log(.error, error.message)
      return .wrongSubject
    }
    try writeProfile(provider)
    let problem = try await provider.signIn()
    let verdicts = try await provider.run(checks) { number, check in
      console.show(progress: "\(number + 1) of \(checks.count)  \(check.id)")
    }
    console.finish(progress: "")
    await registration?.remove()
    var result = ConformResult(.provider, WebAddress(options.metadataURL).shown, verdicts)
    result.signInProblem = problem
    result.facts = facts(provider, options)
    comparison.add(to: &result)
    return try ResultOutput(options: command.results, run: run, console: console).give(result)
  }

  // MARK: The subject

  /// The provider of the address, of `--local`, or of the settings.
  private func subject(_ address: String?, _ tenant: LocalTenant?) async throws -> ProviderUnderTest.Options {
    if let tenant {
      guard address == nil else {
        throw UsageError("conform provider: --local is a provider itself", hint: "leave '\(address ?? "")' out")
      }
      return try await subject(tenant)
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
    options.http = try http
    options.user = try await user()
    return options
  }

  /// The local tenant, with three clients that are registered for the run, and its first user.
  private func subject(_ tenant: LocalTenant) async throws -> ProviderUnderTest.Options {
    let authority = tenant.settings["authority"]?.string ?? tenant.url
    var options = ProviderUnderTest.Options(metadataURL: "\(authority)/v2.0/.well-known/openid-configuration")
    options.issuer = "\(authority)/v2.0"
    options.http = try http
    let registration = ClientRegistration(
      at: "\(authority)/oauth2/v2.0/register",
      scope: "openid offline_access https://contoso.onmicrosoft.com/tasks/read", options.http)
    options.provesKeys = tenant.profile == .fapi2
    try await register(registration, &options, hasKeysOnly: tenant.profile == .fapi2)
    options.user = LocalTenant.seededUsers.first.map { ProviderUser(name: $0.username, password: Secret($0.password)) }
    return options
  }

  /// Registers the clients of the run.
  private func register(
    _ registration: ClientRegistration, _ options: inout ProviderUnderTest.Options, hasKeysOnly: Bool
  ) async throws {
    let keyed = try await registration.client(.keyJWT)
    options.client = hasKeysOnly ? keyed : try await registration.client(.none)
    options.otherClient = try await registration.client(hasKeysOnly ? .keyJWT : .post)
    options.keyClient = keyed
  }

  /// Registers the clients of `--register`; nil without it.
  private func registration(_ options: inout ProviderUnderTest.Options) async throws -> ClientRegistration? {
    guard command.provider.registers, options.isActive, run.session.localTenant == nil else { return nil }
    let provider = try await ProviderRun(options).provider
    guard let url = provider.metadata["registration_endpoint"]?.string else {
      throw UsageError(
        "--register: the provider has no registration_endpoint", hint: "register a client, and give --settings")
    }
    let registration = ClientRegistration(
      at: url, scope: options.client?.scope ?? "openid offline_access", provider.options.http)
    try await register(registration, &options, hasKeysOnly: false)
    return registration
  }

  private var http: HTTPClientConfiguration {
    get throws {
      HTTPClientConfiguration(
        caFile: try run.session.caFile ?? run.tenantCertificate?.path, maximumConnectionsPerHost: 8)
    }
  }

  private func subjectOfSettings() async throws -> ProviderUnderTest.Options {
    let settings: Settings
    do {
      settings = try Session(run.session, console: console, tenant: nil).settings()
    } catch let error as SettingsError where error.kind == .notFound && run.session.settings.file == nil {
      throw UsageError(
        "conform provider: no provider is named, and \(error.message)",
        hint: "give its address, --settings FILE, or --local")
    }
    guard let url = settings.metadataURL(policy: nil) else {
      throw UsageError(
        "conform provider: \(settings.source) names no provider", hint: "put authority into the settings")
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

  // MARK: Profiles

  /// Lets the clients of the run have the habits of --as.
  private func takeHabits(_ options: inout ProviderUnderTest.Options) throws {
    guard let name = command.provider.party else { return }
    let profile = try ProfileFolder(scripts: run.session.scriptsFolder).profile(.client, name)
    let changes = profile.authorizationChanges
    options.client?.habits = changes
    options.otherClient?.habits = changes
    options.keyClient?.habits = changes
  }

  /// Writes the profile of --write-profile.
  private func writeProfile(_ provider: ProviderRun) throws {
    guard let path = command.provider.profileFile else { return }
    guard path.hasSuffix(".json") else {
      throw UsageError("--write-profile: expected a file that ends in .json, got '\(path)'")
    }
    let output = ResultOutput(options: command.results, run: run, console: console)
    try output.write("--write-profile", path) {
      provider.firstProfile(on: UnixTime.now.day).encoded(pretty: true) + "\n"
    }
  }

  private func facts(
    _ provider: ProviderRun, _ options: ProviderUnderTest.Options
  ) -> [(name: String, value: String)] {
    [
      ("profile", command.selection.profile?.rawValue ?? "oauth2.1 and oidc"),
      ("requests", String(provider.provider.requests)), ("mode", options.isActive ? "active" : "passive"),
      ("b2c-run", run.session.version),
    ]
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
    guard options.client != nil || command.provider.registers, options.user != nil else {
      console.log(
        .info,
        "\(active) checks do not run, because they sign in: give a client by --settings FILE or --register, and --username NAME"
      )
      return false
    }
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

/// The habits of Azure AD B2C that the local tenant has, too, though a standard forbids them.
private enum LocalHabits {
  static func reasons(_ profile: TenantProfile?) -> [String: String] {
    var reasons = [
      "provider.token.error-characters":
        "Azure AD B2C writes line breaks into error_description, and the tenant imitates it"
    ]
    if profile == nil {
      reasons["provider.pkce.required"] =
        "Azure AD B2C requires PKCE of single-page applications alone; --profile oauth2.1 requires it"
    }
    return reasons
  }
}

extension RunOptions {
  /// The profile of the local tenant.
  fileprivate var profile: TenantProfile? {
    session.settings.overrides.last { $0.key == "profile" }.flatMap { TenantProfile(rawValue: $0.value) }
  }

  /// Lets the local tenant enforce the profile of the checks, unless --set names one.
  fileprivate mutating func imitate(_ checks: Profile?) {
    guard profile == nil, let name = checks?.rawValue, TenantProfile(rawValue: name) != nil else { return }
    session.settings.overrides.append(("profile", name))
  }
}
