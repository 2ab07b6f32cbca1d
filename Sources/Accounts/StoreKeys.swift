import Core
package import DatabaseAddress
import Databases
import Glibc
package import HostLoop
import JOSE

/// The keys of the groups in a database, as this machine hands them to another one: all of them in one file.
@HostActor
package struct StoreKeys {
  /// The database, as messages name it.
  private let place: String
  private let vault: KeyFileVault
  /// The groups that the database knows, in their order, with the proofs of their keys.
  private let groups: [(name: String, proof: String)]

  /// Reads what the database knows of keys.
  /// - Parameter tell: gets a sentence when the database does not answer.
  package init(
    of address: PostgresAddress,
    variable: @escaping @Sendable (String) -> String? = { getenv($0).map { String(path: $0) } },
    tell: @escaping @HostActor (String) -> Void = { _ in }
  ) async throws(AccountError) {
    let database = PostgresDatabase(address)
    let id = try await AccountStore.prepare(database, tell)
    groups = try await AccountStore.patiently(address.shown, tell) {
      try await database.query("SELECT name, proof FROM account_group ORDER BY name")
    }.map { ($0[0].text ?? "", $0[1].text ?? "") }
    await database.close()
    place = address.shown
    vault = KeyFileVault(
      folder: try AccountStore.keyFolder(ofDatabase: id, variable),
      credentials: AccountStore.credentialsFolder(variable))
  }

  /// Writes the keys of all groups to a new file that only its owner may read. Makes no key.
  /// - Returns: the names of the groups.
  /// - Throws: `other_group` if this machine has not the key of each group.
  package func export(to path: String) throws(AccountError) -> [String] {
    guard !groups.isEmpty else {
      throw AccountError(
        .keyUnusable, "\(place) has no keys yet", hint: "the first sign-in or secret makes one: b2c-run sign-in")
    }
    var keys: [StoreKeyFile.Entry] = []
    var missing: [String] = []
    for (group, proof) in groups {
      guard let key = try vault.storedKey(for: group) else {
        missing.append(group)
        continue
      }
      guard GroupProof.holds(proof, of: group, with: key) else {
        throw AccountStore.wrongKey(place, group, vault.place(of: group))
      }
      keys.append(StoreKeyFile.Entry(group: group, key: key))
    }
    if let first = missing.first {
      throw AccountError(
        .otherGroup, "this machine has no key for the accounts \(missing.joined(separator: ", ")) in \(place)",
        hint:
          "export on a machine that has all keys; or copy \(vault.place(of: first)) of the machine that has this key, "
          + "and give the copy to: b2c-run store key import FILE")
    }
    try StoreKeyFile(path: path).write(keys)
    return groups.map(\.name)
  }

  /// Puts the keys of a file among the keys of this machine, each into its own group. Checks all of them first.
  /// - Returns: the names of the groups.
  /// - Throws: `other_group` for a key that is not the one of its group in the database.
  package func `import`(from path: String) async throws(AccountError) -> [String] {
    guard let entries = try StoreKeyFile(path: path).read() else {
      throw AccountError(
        .keyUnusable, "there is no key file \(path)",
        hint: "make it on a machine that has the keys: b2c-run store key export FILE")
    }
    var found: [(group: String, key: JWK)] = []
    for entry in entries {
      // The key file of a machine has one key, and does not name its group: the proof tells.
      guard
        let group = groups.first(where: { group in
          (entry.group ?? group.name) == group.name && GroupProof.holds(group.proof, of: group.name, with: entry.key)
        })
      else { throw foreign(entry, path) }
      found.append((group.name, entry.key))
    }
    for (group, key) in found { try await vault.keep(key, for: group) }
    return found.map(\.group)
  }

  private func foreign(_ entry: StoreKeyFile.Entry, _ path: String) -> AccountError {
    let names = groups.map(\.name).joined(separator: ", ")
    let whose = entry.group.map { "the key of the accounts \($0) in \(path)" } ?? "the key in \(path)"
    let has = groups.isEmpty ? "has no keys yet" : "has the accounts \(names), sealed with other keys"
    return AccountError(
      .otherGroup, "\(whose) is of another store: \(place) \(has); no key was taken",
      hint: "check --store, or export the keys again on a machine that has them: b2c-run store key export FILE")
  }
}
