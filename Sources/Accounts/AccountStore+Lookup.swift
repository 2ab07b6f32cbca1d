import HostLoop
import SQLite

extension AccountStore {
  /// Every account of the group, the first one added first.
  package func all() throws(AccountError) -> [Account] {
    let rows = try use {
      try $0.query("SELECT \(AccountRow.columns) FROM account WHERE vault_group = ? ORDER BY number", .text(group))
    }
    return try accounts(rows)
  }

  /// The account that matches everything given; of several the current one, else the one that last signed in. The policy's
  /// letter case does not matter.
  package func find(
    name: String? = nil, id: String? = nil, policy: String? = nil, accountType: String? = nil
  ) throws(AccountError) -> Account? {
    let rows = try use {
      try $0.query(
        """
        SELECT \(AccountRow.columns) FROM account WHERE vault_group = ?1
          AND (?2 IS NULL OR name = ?2) AND (?3 IS NULL OR id = ?3) AND (?4 IS NULL OR policy_key = ?4)
          AND (?5 IS NULL OR account_type = ?5)
        ORDER BY id IN (SELECT account_id FROM current_account WHERE vault_group = ?1) DESC, obtained_at DESC, number DESC
        LIMIT 1
        """, .text(group), SQLiteValue(name), SQLiteValue(id), SQLiteValue(policy.map(AccountIdentity.policyKey)),
        SQLiteValue(accountType))
    }
    return try accounts(rows).first
  }

  /// The account last signed in, or last given to `use`; nil when it is gone.
  package func current() throws(AccountError) -> Account? {
    let rows = try use {
      try $0.query(
        """
        SELECT \(AccountRow.columns) FROM account
        WHERE id = (SELECT account_id FROM current_account WHERE vault_group = ?)
        """, .text(group))
    }
    return try accounts(rows).first
  }

  /// Makes an account the current one, for every process that shares the group.
  package func use(_ account: Account) throws(AccountError) {
    try use { database in
      try database.transaction {
        guard try database.first("SELECT 1 FROM account WHERE id = ?", .text(account.id)) != nil else {
          throw removed(account)
        }
        try database.execute(
          "INSERT OR REPLACE INTO current_account (vault_group, account_id) VALUES (?, ?)", .text(group),
          .text(account.id))
      }
    }
  }

  /// Takes over what other processes changed; an account they removed is marked so.
  func reload(_ account: Account) throws(AccountError) {
    guard let row = try row(of: account) else { return forget(account) }
    account.update(row)
  }

  func row(of account: Account) throws(AccountError) -> AccountRow? {
    let row = try use { try $0.first("SELECT \(AccountRow.columns) FROM account WHERE id = ?", .text(account.id)) }
    return try row.map(parse)
  }

  private func accounts(_ rows: [Row]) throws(AccountError) -> [Account] {
    var accounts: [Account] = []
    for row in rows { accounts.append(account(try parse(row))) }
    return accounts
  }

  func parse(_ row: Row) throws(AccountError) -> AccountRow {
    if let parsed = try? AccountRow(row) { return parsed }
    throw StoreSchema.damaged(path, "the account \(row["id"].text ?? "without a name") has values of the wrong kind")
  }

  func removed(_ account: Account) -> AccountError {
    AccountError(.removed, "the account \(account.name) is no longer in the store", hint: "sign in again")
  }
}
