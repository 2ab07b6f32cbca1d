import Databases
package import HostLoop
import JOSE

/// Moves all accounts, secrets and saved keys of a store to another one, where they are sealed with that store's keys.
/// All of them arrive in one transaction, or none; then they leave the first store.
@HostActor
package struct StoreTransfer {
  package struct Counts: Sendable, Equatable {
    package let accounts: Int
    package let secrets: Int
    package let keys: Int

    /// `2 accounts, 1 secret and 0 keys`
    package var text: String {
      func text(_ count: Int, _ noun: String) -> String { StoreContents.text(Int64(count), noun) }
      return "\(text(accounts, "account")), \(text(secrets, "secret")) and \(text(keys, "key"))"
    }
  }

  private typealias Rows = (accounts: [Row], currents: [Row], secrets: [Row], keys: [Row])

  /// Opens a store of that group.
  private let source: @HostActor (String) async throws(AccountError) -> AccountStore
  private let target: @HostActor (String) async throws(AccountError) -> AccountStore

  package init(
    from source: @escaping @HostActor (String) async throws(AccountError) -> AccountStore,
    to target: @escaping @HostActor (String) async throws(AccountError) -> AccountStore
  ) {
    self.source = source
    self.target = target
  }

  /// - Throws: `store_not_empty` if the target has accounts, secrets or keys; `tokens_unreadable` if the source's key does
  ///   not open one of them. Then nothing has changed.
  package func run() async throws -> Counts {
    let from = try await source(AccountStore.defaultGroup)
    let to = try await target(AccountStore.defaultGroup)
    guard from.path != to.path else {
      throw AccountError(.storeUnusable, "the accounts are in \(from.path) already", hint: "name two different stores")
    }
    try await demandEmpty(to)
    return try await holding(try await from.use { try await Self.rows($0).accounts }, in: from) {
      let rows = try await from.use { try await Self.rows($0) }
      let sealed = try await reseal(rows, from, to)
      try await to.change { database in
        // Somebody may have signed in meanwhile.
        try await demandEmpty(database, to.path)
        try await insert(sealed, into: database)
      }
      try await remove(rows, from, to)
      return Counts(accounts: rows.accounts.count, secrets: rows.secrets.count, keys: rows.keys.count)
    }
  }

  private static let columns =
    "id, vault_group, issuer, subject, account_type, policy, policy_key, name, claims, scopes, requested_scopes, provider, "
    + "grant_type, agent, session, refresh_flow, given_subject, obtained_at, expires_at, retry_after, unfinished_renewals, "
    + "data, token_revision, data_revision, tokens"

  private static func rows(_ database: any Statements) async throws -> Rows {
    (
      try await database.query("SELECT \(columns), number FROM account ORDER BY number"),
      try await database.query("SELECT vault_group, account_id FROM current_account"),
      try await database.query("SELECT vault_group, name, sealed, saved_at FROM secret"),
      try await database.query("SELECT vault_group, name, sealed FROM saved_key")
    )
  }

  private func demandEmpty(_ store: AccountStore) async throws(AccountError) {
    try await store.use { try await demandEmpty($0, store.path) }
  }

  private func demandEmpty(_ database: any Statements, _ path: String) async throws {
    for (table, what) in [("account", "account"), ("secret", "secret"), ("saved_key", "key")] {
      guard let count = try await database.first("SELECT count(*) FROM \(table)")?[0].integer, count > 0 else {
        continue
      }
      throw AccountError(
        .notEmpty, "the store \(path) has \(StoreContents.text(count, what)) already; nothing was moved",
        hint: "move into an empty store")
    }
  }

  /// Keeps other processes from refreshing the accounts meanwhile.
  private func holding<Value: Sendable>(
    _ accounts: [Row], in store: AccountStore, _ body: @HostActor () async throws -> Value
  ) async throws -> Value {
    var rights: [any HeldRight] = []
    do {
      for row in accounts {
        let right = StoreRight.refresh(number: try store.parse(row).number, id: try store.parse(row).id)
        guard let locks = store.locks else { continue }
        guard let held = try await locks.take(right, patience: 30) else {
          throw AccountError(
            .refreshBusy, "another process is refreshing the tokens of the account \(row["name"].text ?? "")",
            hint: "try again")
        }
        rights.append(held)
      }
      let value = try await body()
      for right in rights { await right.giveBack() }
      return value
    } catch {
      for right in rights { await right.giveBack() }
      throw error
    }
  }

  private func reseal(_ rows: Rows, _ from: AccountStore, _ to: AccountStore) async throws -> Rows {
    var keys: [String: (old: JWK, new: JWK)] = [:]
    for row in rows.accounts + rows.secrets + rows.keys {
      guard let group = row["vault_group"].text, keys[group] == nil else { continue }
      let (old, new) = (try await source(group), try await target(group))
      keys[group] = (try await old.key(), try await new.key())
    }
    func replacing(_ column: String, of row: Row, _ seal: (String, JWK, JWK) throws -> String?) throws -> Row {
      guard let index = row.columns.firstIndex(of: column), let group = row["vault_group"].text,
        let text = row[column].text, let key = keys[group], let sealed = try seal(text, key.old, key.new)
      else {
        throw AccountError(
          .tokensUnreadable,
          "'\(row["name"].text ?? "")' in \(from.path) does not open with the key of its group; nothing was moved",
          hint: "put the key back, or remove what it does not open")
      }
      var values = row.values
      values[index] = .text(sealed)
      return Row(columns: row.columns, values: values)
    }
    func account(_ row: Row) throws -> Row {
      try replacing("tokens", of: row) { text, old, new in
        let account = try from.parse(row)
        guard let opened = OpenedTokens(text, of: account.id, with: old) else { return nil }
        try from.demandSealed(account, opened)
        return try opened.tokens.sealed(for: account.id, account.facts, with: new)
      }
    }
    func sealed(_ row: Row, _ column: String) throws -> Row {
      try replacing(column, of: row) { text, old, new in
        guard let bytes = try? JWE.open(text, key: old) else { return nil }
        return try JWE.seal(bytes, key: new)
      }
    }
    return (
      try rows.accounts.map { try account($0) }, rows.currents,
      try rows.secrets.map { try sealed($0, "sealed") },
      try rows.keys.map { try sealed($0, "sealed") }
    )
  }

  private func insert(_ rows: Rows, into database: any Statements) async throws {
    let places = Self.columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
    for row in rows.accounts {
      // The number is the store's own.
      try await database.execute(
        "INSERT INTO account (\(Self.columns)) VALUES (\(places))", values: Array(row.values.dropLast()))
    }
    for row in rows.currents {
      try await database.execute(
        """
        INSERT INTO current_account (vault_group, account_id) VALUES (?, ?)
        ON CONFLICT (vault_group) DO UPDATE SET account_id = excluded.account_id
        """, values: row.values)
    }
    for row in rows.secrets {
      try await database.execute(
        "INSERT INTO secret (vault_group, name, sealed, saved_at) VALUES (?, ?, ?, ?)", values: row.values)
    }
    for row in rows.keys {
      try await database.execute(
        "INSERT INTO saved_key (vault_group, name, sealed) VALUES (?, ?, ?)", values: row.values)
    }
  }

  private func remove(_ rows: Rows, _ from: AccountStore, _ to: AccountStore) async throws {
    do {
      try await from.change { database in
        for row in rows.accounts { try await database.execute("DELETE FROM account WHERE id = ?", row["id"]) }
        for (table, rows) in [("secret", rows.secrets), ("saved_key", rows.keys)] {
          for row in rows {
            try await database.execute(
              "DELETE FROM \(table) WHERE vault_group = ? AND name = ?", row["vault_group"], row["name"])
          }
        }
      }
    } catch {
      throw AccountError(
        error.kind,
        "everything is in \(to.path) now, and could not be removed from \(from.path): \(error.message)",
        hint: "do not use both stores: remove the old one", cause: error.cause)
    }
  }
}
