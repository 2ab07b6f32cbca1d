package import Accounts
import Core
import HTTPClient
import HostLoop
import JSON
import Permissions
import Settings

/// The providers of accounts: a script uses the tokens, claims and data of accounts of the provider that its settings name.
extension RunAccounts {
  /// Why scripts of this run neither get nor use the tokens of an account, in a sentence; nil where they do.
  package func obstacleToTokens(of account: Account) -> String? {
    // A script has seen the tokens of a sign-in of its own.
    guard !signedIn.contains(account.id), let provider = account.provider.object, !provider.isEmpty,
      let settings = try? session.settings()
    else { return nil }
    guard leads(settings, to: account.provider) else {
      return
        "\(account.name) signed in at \(Settings.place(of: account.provider)), and the settings of this run are for "
        + Settings.place(of: settings.provider)
    }
    return unknownEndpoint(account.provider, settings).map { name, url in
      "\(settings.source) names \(url) (\(name)), which the settings did not that \(account.name) signed in with"
    }
  }

  /// Checks that a call of a script may use the account's tokens. Throws `other_provider`, named after the call.
  package func demandTokens(of account: Account) throws(AccountError) {
    if let obstacle = obstacleToTokens(of: account) { throw refusal(obstacle, session.callName()) }
  }

  /// Checks that the store may open an account's tokens, whatever for. The stock commands may open all: to tell whether an
  /// account can be refreshed, and to sign it out.
  func checkOpening(of account: Account) throws(AccountError) {
    if !mayBeSignedOut.contains(account.id) { try demandData(of: account, session.callName()) }
  }

  /// Checks that a script may see an account's claims and data: both are for scripts of the account's provider.
  package func demandData(of account: Account, _ call: String?) throws(AccountError) {
    guard !session.permissions.allowsOthersData, let obstacle = obstacleToTokens(of: account) else { return }
    throw refusal(obstacle, call)
  }

  /// Asks the person before a script does an `action`, such as `sign out`, to an account of another provider.
  package func demandChange(of account: Account, _ action: String, _ call: String) throws {
    guard obstacleToTokens(of: account) != nil else { return }
    let place = Settings.place(of: account.provider)
    try session.permissions.check(action: "\(action) \(account.name), an account at \(place)", by: call)
  }

  private func refusal(_ obstacle: String, _ call: String?) -> AccountError {
    AccountError(
      .otherProvider, "\(call.map { "\($0): " } ?? "")\(obstacle)",
      hint: "name the settings it signed in with, --settings FILE, or sign in again")
  }

  /// True if scripts with the settings may use what belongs to a provider.
  func leads(_ settings: Settings, to provider: JSON) -> Bool {
    settings.leads(to: provider) || isForSameAPI(settings, provider) || namesNothingElse(settings, provider)
  }

  /// True if the settings are for another application, or another policy, at the same provider and with the same task API.
  private func isForSameAPI(_ settings: Settings, _ provider: JSON) -> Bool {
    let own = Settings.origins(in: provider, of: [.authority, .authURL, .tokenURL])
    let api = Settings.origins(in: provider, of: [.taskAPI])
    return !api.isEmpty && api == Settings.origins(in: settings.provider, of: [.taskAPI])
      && !own.isDisjoint(with: Settings.origins(in: settings.provider, of: [.authority, .authURL, .tokenURL]))
  }

  /// True if all addresses of the settings are at origins that the account signed in with: nothing leads anywhere else.
  private func namesNothingElse(_ settings: Settings, _ provider: JSON) -> Bool {
    let own = Settings.origins(in: settings.provider, of: SettingsKey.endpoints)
    return !own.isEmpty && own.isSubset(of: Settings.origins(in: provider, of: SettingsKey.endpoints))
  }

  /// An address that `./settings.plist` names and the account's settings did not. Nobody has named that file: it came with
  /// the other files of the folder.
  func unknownEndpoint(_ provider: JSON, _ settings: Settings) -> (name: String, url: String)? {
    guard session.tenant == nil, session.configuration.settings.file == nil else { return nil }
    let found = settings.endpoints(setIn: Settings.fileAtHand).filter { provider[$0.name]?.string != $0.url }
    guard !found.isEmpty else { return nil }
    let known = Settings.origins(in: provider, of: SettingsKey.endpoints)
    return found.first { !(Origin($0.url).map(known.contains) ?? false) }
  }
}

extension Settings {
  fileprivate static func origins(in provider: JSON, of keys: [SettingsKey]) -> Set<Origin> {
    Set(keys.compactMap { provider[$0.rawValue]?.string.flatMap { Origin($0) } })
  }

  /// The words that messages call a provider by: `https://contoso.b2clogin.com/contoso.onmicrosoft.com as 9c5a6f0e-…`.
  static func place(of provider: JSON) -> String {
    let url = [SettingsKey.authority, .tokenURL, .authURL, .taskAPI].lazy.compactMap { provider[$0.rawValue]?.string }
      .first
    let application = provider[SettingsKey.clientID.rawValue]?.string
    return [url ?? "no provider", application.map { "as \($0)" }].compactMap(\.self).joined(separator: " ")
  }
}
