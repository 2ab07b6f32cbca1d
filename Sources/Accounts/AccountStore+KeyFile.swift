import Files
import Glibc
import HostLoop
import JOSE
package import PostgreSQL
import SQL
import Storage

/// Hands the group's key of a database to another machine, in a file.
extension AccountStore {
  /// Writes the group's key to a new file that only its owner may read. The first machine makes the key.
  package func exportKey(to path: String) async throws(AccountError) {
    guard isShared else {
      throw AccountError(
        .vaultUnusable, "\(self.path) is a store of one machine, whose key is in \(try await vaultPlace)",
        hint: "name the database with --store")
    }
    guard !FileSystem.exists(path, followsLink: false) else {
      throw AccountError(.keyUnusable, "there is a file \(path) already", hint: "name a new file")
    }
    _ = try KeyFile(path: path).write(try await key())
  }

  /// Puts the key of a file among the keys of this machine, if it is the key of the group. Returns the place of the key.
  package static func importKey(
    from path: String, for group: String, _ address: PostgresAddress,
    variable: @escaping @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) async throws(AccountError) -> String {
    guard let key = try KeyFile(path: path).read() else {
      throw AccountError(
        .keyUnusable, "there is no key file \(path)",
        hint: "make it on a machine that has the key: b2c-run store key export FILE")
    }
    let database = PostgresDatabase(address)
    let id = try await prepare(database) { _ in }
    let proof: String?
    do {
      proof = try await database.first("SELECT proof FROM account_group WHERE name = ?", .text(group))?[0].text
    } catch { throw StoreSchema.translate(error, address.shown) }
    if let proof, !GroupProof.holds(proof, of: group, with: key) {
      throw wrongKey(address.shown, group, "the key in \(path)")
    }
    let vault = KeyFileVault(folder: try keyFolder(ofDatabase: id, variable))
    try await vault.keep(key, for: group)
    return vault.place(of: group)
  }
}
