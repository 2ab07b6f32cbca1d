package import Accounts
import Core
import HTTPClient
import HostLoop
import JSON
import OAuth
import Permissions
package import Settings

/// The rule whose tokens scripts of a run get. The settings say where scripts may connect to, so that a script with the
/// settings of one provider could carry the tokens of another provider's accounts there.
extension RunAccounts {
  private static let advice = "name the settings it signed in with, --settings FILE, or sign in again"

  /// Why scripts of this run neither get nor use the tokens of an account, in a sentence; nil where they do.
  package func obstacleToTokens(of account: Account) -> String? {
    // A script has seen the tokens of a sign-in of its own.
    guard !signedIn.contains(account.id), let provider = account.provider.object, !provider.isEmpty,
      let settings = try? automation.settings()
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

  /// Checks that a call of a script may use the account's tokens.
  /// - Throws: `other_provider`, named after the call that wants them.
  package func demandTokens(of account: Account) throws(AccountError) {
    if let obstacle = obstacleToTokens(of: account) { throw refusal(obstacle, automation.caller.name()) }
  }

  /// Checks that the store may open an account's tokens, whatever for. The stock commands may open all: to tell whether an
  /// account can be refreshed, and to sign it out.
  func checkOpening(of account: Account) throws(AccountError) {
    if !mayBeSignedOut.contains(account.id) { try demandData(of: account, automation.caller.name()) }
  }

  /// Checks that a script may see an account's claims, and its own data there: both are for scripts of the account's
  /// provider.
  /// - Throws: `other_provider`.
  package func demandData(of account: Account, _ call: String?) throws(AccountError) {
    guard !automation.permissions.allowsOthersData, let obstacle = obstacleToTokens(of: account) else { return }
    throw refusal(obstacle, call)
  }

  /// Asks the person before a script does something to an account of another provider.
  /// - Parameter action: what the call is about to do: `sign out`.
  package func demandChange(of account: Account, _ action: String, _ call: String) throws {
    guard obstacleToTokens(of: account) != nil else { return }
    let place = Settings.place(of: account.provider)
    try automation.permissions.check(action: "\(action) \(account.name), an account at \(place)", by: call)
  }

  private func refusal(_ obstacle: String, _ call: String?) -> AccountError {
    AccountError(.otherProvider, "\(call.map { "\($0): " } ?? "")\(obstacle)", hint: Self.advice)
  }

  /// The settings with which the tokens of an account are renewed: this run's, when they lead to the same provider and
  /// nowhere else. The client secret is the account's own where they have none.
  package func settings(of account: Account) async throws -> Settings {
    let current = try? automation.settings()
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
  package func tokenType(of account: Account) async throws -> String {
    let kept = try await manager().tokens(of: account).tokenType
    return kept.lowercased() == "bearer" ? tokenTypeSetting(of: account) ?? "Bearer" : kept
  }

  /// The setting `tokenType` that the account signed in with, else that of this run.
  package func tokenTypeSetting(of account: Account) -> String? {
    account.provider[SettingsKey.tokenType.rawValue]?.string ?? (try? automation.settings().tokenType)
  }

  /// Nil for an account that was signed out, or whose tokens do not open: the call that needs the secret reports that.
  private func keptSecret(of account: Account) async -> Secret? {
    try? await manager().tokens(of: account).clientSecret
  }

  /// True if this run's settings lead to where the account signed in, or nobody knows where that was.
  private func isOfThisProvider(_ account: Account) -> Bool {
    if account.provider.object?.isEmpty != false { return true }
    return (try? automation.settings())?.leads(to: account.provider) == true
  }

  /// True if the settings are for another application, or another policy, at the same provider and with the same task API.
  private func isForSameAPI(_ settings: Settings, _ account: Account) -> Bool {
    let own = Settings.origins(in: account.provider, of: [.authority, .authURL, .tokenURL])
    let api = Settings.origins(in: account.provider, of: [.taskAPI])
    return !api.isEmpty && api == Settings.origins(in: settings.provider, of: [.taskAPI])
      && !own.isDisjoint(with: Settings.origins(in: settings.provider, of: [.authority, .authURL, .tokenURL]))
  }

  /// True if all addresses of the settings are at origins that the account signed in with: nothing leads anywhere else.
  private func namesNothingElse(_ settings: Settings, _ account: Account) -> Bool {
    let own = Settings.origins(in: settings.provider, of: SettingsKey.endpoints)
    return !own.isEmpty && own.isSubset(of: Settings.origins(in: account.provider, of: SettingsKey.endpoints))
  }

  /// An address that `./settings.plist` names and the account's settings did not. Nobody has named that file: it came with
  /// the other files of the folder.
  private func unknownEndpoint(_ account: Account, _ settings: Settings) -> (name: String, url: String)? {
    guard automation.tenant == nil, automation.configuration.settingsFile == nil else { return nil }
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

  /// The words that messages call a provider by: `https://contoso.b2clogin.com/contoso.onmicrosoft.com as 9c5a6f0e-…`.
  fileprivate static func place(of provider: JSON) -> String {
    let url = [SettingsKey.authority, .tokenURL, .authURL, .taskAPI].lazy.compactMap { provider[$0.rawValue]?.string }
      .first
    let application = provider[SettingsKey.clientID.rawValue]?.string
    return [url ?? "no provider", application.map { "as \($0)" }].compactMap(\.self).joined(separator: " ")
  }
}
