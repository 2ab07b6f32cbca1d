import Core
import ImportFormats

/// The source, the account and the API whose rows a journal is about.
package struct ImportIdentity: Sendable, Equatable {
  /// The absolute path with links resolved, or a name such as `standard input`.
  package var source: String
  /// A constant name of the account.
  package var account: String
  /// The account's name for people.
  package var accountName: String
  package var api: String

  package init(source: String, account: String, accountName: String, api: String) {
    self.source = source
    self.account = account
    self.accountName = accountName
    self.api = api
  }

  package var sourceName: String { source.lastName }

  /// The name of the identity's journal, the same in each run: 16 hexadecimal digits.
  package var fileName: String {
    var hash = StableHash()
    for part in [source, account, api] {
      for byte in part.utf8 { hash.add(byte) }
      // The end of the part.
      hash.add(0)
    }
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
