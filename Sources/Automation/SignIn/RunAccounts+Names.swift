import Accounts
import Glibc
import HostLoop
import Settings

extension RunAccounts {
  /// The names of the accounts for the completion of command lines: of each the user name, or else its name. This makes no
  /// store, and opens no token.
  package var namesToComplete: [String] {
    let folders = [
      automation.configuration.storePath, try? AccountStore.standardFolder(), AccountStore.earlierFolder(),
    ]
    guard folders.contains(where: { $0.map { access("\($0)/accounts.sqlite", F_OK) == 0 } ?? false }) else { return [] }
    let group = (try? automation.settings())?.keychain ?? AccountStore.defaultGroup
    guard let location = try? location(), let store = try? AccountStore(location, group: group),
      let accounts = try? store.all()
    else { return [] }
    var names: [String] = []
    for name in accounts.map({ $0.userNames.first ?? $0.name }) where !names.contains(name) { names.append(name) }
    return names
  }
}
