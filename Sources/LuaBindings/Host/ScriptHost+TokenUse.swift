import Accounts
import Automation
import Core
import HTTPClient
import HostLoop
import JSON
import Lua
import Permissions
import Settings

/// Whose tokens scripts of a run get. The settings say where scripts may connect to, so that a script with the settings of
/// one provider could carry the tokens of another one's accounts there.
extension ScriptHost {
  /// Why scripts of this run neither get nor use the tokens of an account, in a sentence; nil where they do.
  func obstacleToTokens(of account: Account) -> String? {
    // A script has seen the tokens of a sign-in of its own.
    guard !signedIn.contains(account.id), let provider = account.provider.object, !provider.isEmpty,
      let settings = try? settings()
    else { return nil }
    let isHarmless = isForSameAPI(settings, account) || namesNothingElse(settings, account)
    guard settings.leads(to: account.provider) || isHarmless else {
      return
        "\(account.name) signed in at \(Settings.place(of: account.provider)), and the settings of this run are for "
        + Settings.place(of: settings.provider)
    }
    return unknownEndpoint(account, settings).map { name, url in
      "\(settings.source) names \(url) (\(name)), which the settings did not that \(account.name) signed in with"
    }
  }

  /// - Throws: `other_provider`, named after the call that wants them.
  func demandTokens(of account: Account) throws(LuaError) {
    guard let obstacle = obstacleToTokens(of: account) else { return }
    throw LuaError(
      code: "other_provider", message: "\(HostCall.current.map { "\($0.name): " } ?? "")\(obstacle)",
      hint: Self.adviceOnTokens)
  }

  /// Asked by the store before it opens an account's tokens, whatever for. The stock commands may open all: to tell
  /// whether an account can be refreshed, and to sign it out.
  func checkOpening(of account: Account) throws(AccountError) {
    guard !permissions.allowsOthersData, !mayBeSignedOut.contains(account.id),
      let obstacle = obstacleToTokens(of: account)
    else { return }
    throw AccountError(
      .otherProvider, "\(HostCall.current.map { "\($0.name): " } ?? "")\(obstacle)", hint: Self.adviceOnTokens)
  }

  /// What a script keeps with an account, and the claims, are for scripts of the account's provider.
  /// - Throws: `other_provider`.
  func demandData(of account: Account, _ call: String) throws(LuaError) {
    guard !permissions.allowsOthersData, let obstacle = obstacleToTokens(of: account) else { return }
    throw LuaError(code: "other_provider", message: "\(call): \(obstacle)", hint: Self.adviceOnTokens)
  }

  /// An account of another provider is no business of the script's: the person decides what is done to it.
  /// - Parameter action: what the call is about to do: `sign out`.
  func demandChange(of account: Account, _ action: String, _ call: String) throws {
    guard obstacleToTokens(of: account) != nil else { return }
    let place = Settings.place(of: account.provider)
    try permissions.check(action: "\(action) \(account.name), an account at \(place)", by: call)
  }

  nonisolated static let adviceOnTokens = "name the settings it signed in with, --settings FILE, or sign in again"

  /// The settings the tokens of an account are renewed with: this run's, when they lead to the same provider and nowhere
  /// else. The client secret is the account's own where they have none.
  func settings(of account: Account) async throws -> Settings {
    let current = try? settings()
    if let current, isOfThisProvider(account), unknownEndpoint(account, current) == nil {
      if current.clientSecret != nil { return current }
      guard let secret = await keptSecret(of: account) else { return current }
      return try current.with([SettingsKey.clientSecret.rawValue: .string(secret.reveal())])
    }
    return try Settings(
      provider: account.provider, clientSecret: await keptSecret(of: account), source: "the account \(account.name)")
  }

  /// The word before the token in `Authorization`: the type that came with the account's token, unless that is the usual
  /// one; else the setting `tokenType` that the account signed in with, or of this run.
  func tokenType(of account: Account) async throws -> String {
    let usual = "Bearer"
    let kept = try await accounts().tokenType(of: account)
    return kept.lowercased() == usual.lowercased() ? tokenTypeSetting(of: account) ?? usual : kept
  }

  /// The setting `tokenType` that the account signed in with, else that of this run.
  func tokenTypeSetting(of account: Account) -> String? {
    account.provider[SettingsKey.tokenType.rawValue]?.string ?? (try? settings().tokenType)
  }

  /// The same, for a sign-in of the script's own, which gets what the secret is good for.
  func settings(toSignInAgain account: Account) async throws -> Settings {
    try demandTokens(of: account)
    return try await settings(of: account)
  }

  /// Of an account that was signed out, or whose tokens do not open, nothing is left; who needs those says so.
  private func keptSecret(of account: Account) async -> Secret? {
    try? await accounts().clientSecret(of: account)
  }

  /// Whether this run's settings lead to where the account signed in, or nobody knows where that was.
  private func isOfThisProvider(_ account: Account) -> Bool {
    if account.provider.object?.isEmpty != false { return true }
    return (try? settings())?.leads(to: account.provider) == true
  }

  /// Whether the settings are for another application, or another policy, at the same provider and with the same task API.
  private func isForSameAPI(_ settings: Settings, _ account: Account) -> Bool {
    let own = Settings.origins(in: account.provider, of: [.authority, .authURL, .tokenURL])
    let api = Settings.origins(in: account.provider, of: [.taskAPI])
    return !api.isEmpty && api == Settings.origins(in: settings.provider, of: [.taskAPI])
      && !own.isDisjoint(with: Settings.origins(in: settings.provider, of: [.authority, .authURL, .tokenURL]))
  }

  /// Whether all addresses of the settings are where those are that the account signed in with: nothing leads anywhere else.
  private func namesNothingElse(_ settings: Settings, _ account: Account) -> Bool {
    let own = Settings.origins(in: settings.provider, of: SettingsKey.endpoints)
    return !own.isEmpty && own.isSubset(of: Settings.origins(in: account.provider, of: SettingsKey.endpoints))
  }

  /// What `./settings.plist` names that the account's settings did not. Nobody has named that file: it came with whatever
  /// else is in the folder.
  private func unknownEndpoint(_ account: Account, _ settings: Settings) -> (name: String, url: String)? {
    guard tenant == nil, configuration.settingsFile == nil else { return nil }
    let found = settings.endpoints(setIn: Settings.fileAtHand).filter { account.provider[$0.name]?.string != $0.url }
    guard !found.isEmpty else { return nil }
    let known = Settings.origins(in: account.provider, of: SettingsKey.endpoints)
    return found.first { !(Origin($0.url).map(known.contains) ?? false) }
  }
}

extension Settings {
  fileprivate static func origins(in provider: JSON, of keys: [SettingsKey]) -> Set<Origin> {
    Set(keys.compactMap { provider[$0.rawValue]?.string.flatMap { Origin($0) } })
  }

  /// What messages call a provider by: `https://contoso.b2clogin.com/contoso.onmicrosoft.com as 9c5a6f0e-…`.
  fileprivate static func place(of provider: JSON) -> String {
    let url = [SettingsKey.authority, .tokenURL, .authURL, .taskAPI].lazy
      .compactMap { provider[$0.rawValue]?.string }.first
    let application = provider[SettingsKey.clientID.rawValue]?.string
    return [url ?? "no provider", application.map { "as \($0)" }].compactMap(\.self).joined(separator: " ")
  }
}
