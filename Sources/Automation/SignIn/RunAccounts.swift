package import Accounts
import Core
import HTTPClient
package import HostLoop
import OAuth
import Settings

/// The accounts of a run: the store, which of them a call means, and who may use their tokens.
@HostActor
package final class RunAccounts {
  unowned let automation: Automation
  /// The subscriptions to changes of accounts. They may be made before the store is opened.
  package let events = AccountEvents()
  private var opened: AccountManager?
  /// The accounts, by their IDs, that have signed in in this run.
  package var signedIn: Set<String> = []
  /// The accounts of other providers, by their IDs, that the person lets this run sign out at their providers.
  package var mayBeSignedOut: Set<String> = []

  init(_ automation: Automation) {
    self.automation = automation
    _ = events.onClockSkew { [console = automation.console] skew in
      console.log(.warn, "\(skew.message); \(skew.hint ?? "")")
    }
  }

  /// The account store with its events and refreshes, opened at the first call.
  package func manager() throws -> AccountManager {
    if let opened { return opened }
    let settings = try automation.settings()
    let store = try AccountStore(
      location(), group: settings.keychain ?? AccountStore.defaultGroup,
      vault: VaultChoice(rawValue: settings.vault) ?? .automatic)
    if let note = store.note { automation.console.log(note.isWarning ? .warn : .info, note.sentence) }
    store.checkOpening = { [unowned self] account throws(AccountError) in try checkOpening(of: account) }
    let manager = manager(of: store)
    opened = manager
    return manager
  }

  /// Uses the store that another run of the same tenant has opened.
  package func share(_ other: RunAccounts) throws { opened = manager(of: try other.manager().store) }

  private func manager(of store: AccountStore) -> AccountManager {
    AccountManager(store: store, events: events, runEvents: automation.events) { [unowned self] account in
      OAuthTokenRefresher(automation.clients.client(for: try await self.settings(of: account), isOfAccount: true))
    }
  }

  /// The place of the store. The accounts of a local tenant go with it: the next one is another issuer, on another port.
  package func location() throws -> AccountStore.Location {
    if let path = automation.configuration.storePath { return .folder(path) }
    if automation.tenant != nil { return .memory }
    return .userFolder(try AccountStore.standardFolder(), earlier: AccountStore.earlierFolder())
  }
}
