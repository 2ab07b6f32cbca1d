import Accounts
import Automation
import Glibc
import Settings
import TaskImport

/// Names for the completion of command lines.
extension ScriptHost {
  /// What a person may call each account by: its user name, else its name. No store is made where there is none, and no token
  /// is opened.
  package var namesOfAccounts: [String] {
    let folders = [configuration.storePath, try? AccountStore.standardFolder(), AccountStore.earlierFolder()]
    guard folders.contains(where: { $0.map { access("\($0)/accounts.sqlite", F_OK) == 0 } ?? false }) else { return [] }
    let group = (try? settings())?.keychain ?? AccountStore.defaultGroup
    guard let location = try? automation.accounts.location(), let store = try? AccountStore(location, group: group),
      let accounts = try? store.all()
    else { return [] }
    var names: [String] = []
    for name in accounts.map({ $0.userNames.first ?? $0.name }) where !names.contains(name) { names.append(name) }
    return names
  }
}
