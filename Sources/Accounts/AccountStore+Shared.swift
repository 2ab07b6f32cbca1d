import Core
package import Databases
import HostLoop
import JOSE
import JSON

/// A store that several machines share: its key is with each machine, and the database only proves that it is the right one.
extension AccountStore {
  var isShared: Bool { database.dialect == .postgresql }

  /// The folder of this machine's keys of a database.
  package nonisolated static func keyFolder(
    ofDatabase id: String, _ variable: (String) -> String?
  ) throws(AccountError) -> String { "\(try standardFolder(variable: variable))/stores/\(id)" }

  /// The folder of the service's credentials; nil if there is none.
  nonisolated static func credentialsFolder(_ variable: (String) -> String?) -> String? {
    ["B2C_RUN_CREDENTIALS", "CREDENTIALS_DIRECTORY"].lazy.compactMap(variable).first { $0.hasPrefix("/") }
  }

  /// Checks the schema, or makes it in a database without. Returns the ID of the database.
  static func prepare(
    _ database: PostgresDatabase, _ tell: @escaping @HostActor (String) -> Void
  ) async throws(AccountError) -> String {
    try await patiently(database.place, tell) {
      try await Lease.migrations.demand(in: database)
      try await SharedStoreSchema.migrations.demand(in: database)
      return try await id(of: database)
    }
  }

  /// Tells the person if this machine's clock and the database's differ by more than a minute: the times of tokens are
  /// those of the machine that got them.
  func compareClocks() async throws(AccountError) {
    let path = path
    let theirs = try await use {
      try await $0.first("SELECT \(Dialect.postgresql.now) AS now")?.reader(of: "(the clock)", in: path)
        .preciseTime("now") ?? 0
    }
    let seconds = Int(clamped: Double(now()) - theirs)
    guard seconds.magnitude > 60 else { return }
    tell(
      "this machine's clock is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") the clock of \(path); set it, because "
        + "tokens are renewed too early or too late")
  }

  /// The database's own ID, which a dump of it keeps.
  package static func id(of database: any Database) async throws -> String {
    try checkedID(try await database.first("SELECT id FROM account_store")?["id"].text, database.place)
  }

  /// Checks this machine's key before anything else, if the group has one.
  func checkKey() async throws(AccountError) {
    guard let proof = try await proof() else { return }
    groupKey = try await provenKey(in: vaults.vaultForNewKey(of: group), proof)
  }

  private func proof() async throws(AccountError) -> String? {
    try await use { try await $0.first("SELECT proof FROM account_group WHERE name = ?", .text(group)) }?[0].text
  }

  private func provenKey(in vault: any Vault, _ proof: String) async throws(AccountError) -> JWK {
    guard let key = try await vault.storedKey(for: group) else {
      throw AccountError(
        .otherGroup,
        "this machine has no key for the accounts \(group) in \(path), which are sealed with the key of another machine",
        hint:
          "with the same --store, on that machine: b2c-run store key export FILE; here: b2c-run store key import FILE")
    }
    guard GroupProof.holds(proof, of: group, with: key) else {
      throw Self.wrongKey(path, group, vault.place(of: group))
    }
    return key
  }

  nonisolated static func wrongKey(_ path: String, _ group: String, _ place: String) -> AccountError {
    AccountError(
      .otherGroup,
      "\(place) is not the key of the accounts \(group) in \(path): the store is another group's, or its accounts were sealed with another key",
      hint:
        "check --store, or move that file away and get the key from a machine that has it: b2c-run store key export FILE"
    )
  }

  /// The key of the group; the first machine makes it. Called while nobody else makes keys.
  func makeSharedKey(in vault: any Vault) async throws(AccountError) -> JWK {
    if let proof = try await proof() {
      let key = try await provenKey(in: vault, proof)
      groupKey = key
      return key
    }
    let hadKey = try await vault.storedKey(for: group) != nil
    // On this machine first: a proof of a key that nobody has would lock everybody out.
    let key = try await vault.key(for: group)
    let proof: String
    do { proof = try GroupProof.make(of: group, with: key) } catch {
      throw AccountError(.keyUnusable, "the key of the accounts \(group) does not seal: \(error.message)")
    }
    let isFirst = try await change {
      try await $0.execute(
        "INSERT INTO account_group (name, proof) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", .text(group),
        .text(proof)) == 1
    }
    guard isFirst else {
      // The right to make keys was lost on the way.
      if !hadKey { try await vault.removeKey(for: group) }
      throw AccountError(
        .otherGroup, "another machine has made the key of the accounts \(group) in \(path) at the same time",
        hint: "get the key from that machine: b2c-run store key export FILE")
    }
    groupKey = key
    return key
  }

  /// Waits for a database that does not answer, as `PostgresDatabase.patiently` does.
  static func patiently<Result: Sendable>(
    _ path: String, _ tell: @HostActor (String) -> Void, _ body: @HostActor () async throws -> Result
  ) async throws(AccountError) -> Result {
    do { return try await PostgresDatabase.patiently(path, tell, body) } catch {
      throw StoreSchema.translate(error, path)
    }
  }
}

/// A text that is sealed with the key of a group and stored, so that a machine can tell its key from another.
enum GroupProof {
  private static func text(_ group: String) -> String { "b2c-run: the key of the accounts \(group)" }

  static func make(of group: String, with key: JWK) throws(JOSEError) -> String {
    try JWE.seal(Array(text(group).utf8), key: key)
  }

  static func holds(_ proof: String, of group: String, with key: JWK) -> Bool {
    (try? JWE.open(proof, key: key)) == Array(text(group).utf8)
  }
}
