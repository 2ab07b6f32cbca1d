import Accounts
import Automation
import CommandLine
import Core
import HTTPServer
import HostLoop
import JobServer
import Jobs
import LocalTenant
import Permissions
import Settings

/// The program around `serve`: the parts that need its options, its settings and its accounts.
@HostActor
final class ServeHome: ServerHome {
  private let configuration: Session.Configuration
  private let listeners: ServeListeners
  private let options: ServeSignIn
  private let console: Console
  private let jobs: Session
  private let secrets: KeptSecrets
  /// Keeps the client of the sign-in.
  private var own: Session?
  private var store: AccountStore?

  init(
    _ configuration: Session.Configuration, _ listeners: ServeListeners, _ options: ServeSignIn, _ tenant: LocalTenant?,
    _ console: Console
  ) {
    self.configuration = configuration
    self.listeners = listeners
    self.options = options
    self.console = console
    secrets = KeptSecrets(configuration, console)
    jobs = Session(configuration, console: console, tenant: tenant)
  }

  /// Tells before the first run of a job what a run without settings cannot do.
  func tellMissingSettings() {
    do {
      guard try jobs.settingsIfAny() == nil else { return }
      console.log(
        .info, "there are no settings, with which jobs sign in and use tasks: give --settings FILE, or --local to try")
    } catch { console.log(.warn, ErrorText(error).sentence) }
  }

  func log(_ level: Turn.LogLevel, _ text: String) {
    switch level {
    case .info: console.log(.info, text)
    case .warn: console.log(.warn, text)
    case .error: console.log(.error, text)
    }
  }

  func passSignals(to receiver: (@Sendable (Int32) -> Void)?) { PassedSignals.pass(to: receiver) }

  func secret(_ name: String) async throws -> Secret { try await secrets.secret(name) }

  func hookListener(_ sockets: [String: Int32]) throws -> Listener? { try listeners.hookListener(sockets) }

  func pageListener(_ sockets: [String: Int32], isSecure: Bool?) throws -> Listener? {
    try listeners.pageListener(sockets, isSecure: isSecure)
  }

  /// The files that the permissions of a job open to it. Those of the program itself are closed, as for its runs.
  func rules(granting flags: [String], from base: [UInt8]) -> FileRules {
    jobs.permissions.rules(granting: flags, from: base)
  }

  /// Nil without `--sign-in`.
  func signIn() throws -> PageSignIn? {
    guard let file = options.settings else {
      guard options.subjects.isEmpty else {
        throw UsageError("--allow-subject belongs to --sign-in", hint: "add --sign-in FILE")
      }
      return nil
    }
    var configuration = configuration
    configuration.settings.file = file
    configuration.settings.overrides = []
    let own = Session(configuration, console: console, tenant: nil)
    self.own = own
    do {
      return try PageSignIn(own.providers.provider(for: try own.settings()), subjects: options.subjects) {
        [console] in console.log(.info, $0)
      }
    } catch { throw UsageError("--sign-in: \(error)") }
  }

  /// The accounts of the store that the jobs use. The ones of a local tenant end with each run.
  func accounts() async throws -> [KeptAccount] {
    let store = try await openedStore()
    var accounts: [KeptAccount] = []
    for account in try await store.all() {
      // Tokens that cannot be opened now cannot be renewed either.
      let renews = (try? await store.canRenew(account)) ?? false
      accounts.append(
        KeptAccount(
          name: account.name, policy: account.policy, expires: account.expiresAt, renews: renews,
          command: configuration.commandLine("sign-in")))
    }
    return accounts
  }

  private func openedStore() async throws -> AccountStore {
    if let store { return store }
    let settings = try? jobs.settings()
    let store = try await AccountStore(
      try configuration.storeLocation(), group: settings?.keychain ?? AccountStore.defaultGroup)
    self.store = store
    return store
  }
}
