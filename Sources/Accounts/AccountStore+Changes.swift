import Core
import Crypto
import Databases
import HostLoop
import JSON
import OAuth

extension AccountStore {
  /// Adds the account that was signed in, or gives the one it already is new tokens and claims; it becomes the current one.
  func add(
    _ tokens: TokenSet, claims: JSON, identity: AccountIdentity, _ request: SignInRequest
  ) async throws(AccountError) -> (account: Account, isNew: Bool) {
    let key = try await key()
    var tokens = tokens
    tokens.clientSecret = request.clientSecret
    let sealing = tokens
    let (row, isNew) = try await change { database in
      let policyKey = AccountIdentity.policyKey(identity.policy)
      // The number belongs to the store, which is another one in a replay.
      let made = CurrentTape.paused { SecureRandom.bytes(16).uuid(version: 4) }
      let isNew =
        try await database.execute(
          """
          INSERT INTO account (id, vault_group, issuer, subject, account_type, policy, policy_key, name, claims, scopes,
            requested_scopes, obtained_at, data, token_revision, data_revision, tokens)
          VALUES (?, ?, ?, ?, ?, ?, ?, '', '{}', '', '', 0, '{}', 0, 0, '')
          ON CONFLICT (vault_group, issuer, subject, account_type, policy_key) DO NOTHING
          """, .text(made), .text(group), .text(identity.issuer), .text(identity.subject), .text(identity.accountType),
          SQLValue(identity.policy), .text(policyKey)) == 1
      let found = try await database.first(
        """
        SELECT id, policy FROM account
        WHERE vault_group = ? AND issuer = ? AND subject = ? AND account_type = ? AND policy_key = ?
        """, .text(group), .text(identity.issuer), .text(identity.subject), .text(identity.accountType),
        .text(policyKey))
      guard let id = found?["id"].text else { throw lostAccount }
      // A policy keeps the letter case of the first sign-in.
      let kept = found?["policy"].text
      let identity = AccountIdentity(
        issuer: identity.issuer, subject: identity.subject, accountType: identity.accountType,
        policy: AccountIdentity.policyKey(kept) == policyKey ? kept : identity.policy)
      let name = displayName(claims: claims)
      let facts = AccountFacts(
        identity, name: name, claims: claims, requestedScopes: request.scopes.joined(separator: " "),
        provider: request.provider, grantType: sealing.grantType, agent: request.agent, session: request.session,
        refreshFlow: sealing.refreshFlow, isProven: sealing.isProven)
      let time = now()
      let row = try await database.first(
        """
        UPDATE account SET policy = ?, name = ?, claims = ?, scopes = ?, requested_scopes = ?, provider = ?, grant_type = ?, agent = ?,
          session = ?, refresh_flow = ?, given_subject = ?, obtained_at = ?, expires_at = ?, tokens = ?, retry_after = 0,
          unfinished_renewals = 0, token_revision = token_revision + 1
        WHERE id = ? RETURNING \(AccountRow.columns)
        """, SQLValue(identity.policy), .text(name), .text(claims.encoded()),
        .text((sealing.scopes ?? request.scopes).joined(separator: " ")),
        .text(request.scopes.joined(separator: " ")),
        .text(request.provider.encoded()), .text(sealing.grantType), SQLValue(request.agent),
        SQLValue(request.session), SQLValue(sealing.refreshFlow), .integer(sealing.isProven ? 0 : 1),
        .integer(time), SQLValue(sealing.expiresIn.map { time + $0 }),
        .text(try sealing.sealed(for: id, facts, with: key)), .text(id))
      guard let row else { throw lostAccount }
      try await makeCurrent(id, in: database)
      return (row, isNew)
    }
    return (try account(try parse(row)), isNew)
  }

  private var lostAccount: AccountError {
    StoreSchema.damaged(path, "an account that was just added is not there")
  }

  private func makeCurrent(_ id: String, in database: any Statements) async throws {
    try await database.execute(
      """
      INSERT INTO current_account (vault_group, account_id) VALUES (?, ?)
      ON CONFLICT (vault_group) DO UPDATE SET account_id = excluded.account_id
      """, .text(group), .text(id))
  }

  /// Counts a renewal that is about to be made. Throws `refresh_busy` if the right to it is lost.
  func beginRenewal(of account: Account, by right: (any HeldRight)?) async throws(AccountError) {
    try await change {
      if let right, try await !right.isHeld(in: $0) { throw busy(account, "since this one was held up") }
      try await $0.execute(
        "UPDATE account SET unfinished_renewals = unfinished_renewals + 1 WHERE id = ?", .text(account.id))
    }
    account.row.unfinishedRenewals += 1
  }

  /// Keeps every process from renewing the account's tokens until then (Unix seconds).
  func pause(_ account: Account, until time: Int64) async {
    account.row.retryAfter = time
    // If this cannot be written, the pause is this process's alone; the failure it is for matters more.
    _ = try? await change {
      try await $0.execute(
        "UPDATE account SET retry_after = ? WHERE id = ? AND token_revision = ?", .integer(time), .text(account.id),
        .integer(account.tokenRevision))
    }
  }

  /// Stores renewed tokens. Returns false if others were stored since their revision; the account then holds these.
  func replaceTokens(of account: Account, with renewed: RenewedTokens) async throws(AccountError) -> Bool {
    let key = try await key()
    let changed = try await change { database in
      try await database.execute(
        """
        UPDATE account SET tokens = ?, obtained_at = ?, expires_at = ?, scopes = coalesce(?, scopes),
          retry_after = 0, unfinished_renewals = 0,
          token_revision = token_revision + 1 WHERE id = ? AND token_revision = ?
        """, .text(try renewed.tokens.sealed(for: account.id, account.row.facts, with: key)),
        .integer(renewed.obtainedAt),
        SQLValue(renewed.expiresAt), SQLValue(renewed.tokens.scopes?.joined(separator: " ")), .text(account.id),
        .integer(renewed.revision)) == 1
    }
    try await reload(account)
    return changed
  }

  /// Stores the account's data. Returns true if it had changed.
  /// - Throws: `account_changed` when another process stored other data meanwhile; `account.data` then holds theirs.
  package func save(_ account: Account) async throws(AccountError) -> Bool {
    guard !account.isRemoved else { throw removed(account) }
    guard account.hasUnsavedData else { return false }
    let (data, revision) = (account.data.encoded(), account.row.dataRevision)
    // A script may change the data while they are stored.
    account.hasUnsavedData = false
    let saved: Bool
    do {
      saved = try await change {
        try await $0.execute(
          "UPDATE account SET data = ?, data_revision = data_revision + 1 WHERE id = ? AND data_revision = ?",
          .text(data), .text(account.id), .integer(revision)) == 1
      }
    } catch {
      account.hasUnsavedData = true
      throw error
    }
    if saved {
      account.row.dataRevision = revision + 1
      return true
    }
    try await reload(account)
    if account.isRemoved { throw removed(account) }
    throw AccountError(
      .conflict, "the data of the account \(account.name) was not saved: another process has changed it meanwhile",
      hint: "account.data now holds what is stored; make the change again and save")
  }

  /// Takes the account and its tokens out of the store. Returns false if it stays; it then holds what is stored now.
  /// - Parameter revision: only while its tokens are those of that revision; nil for whatever they are.
  @discardableResult package func remove(_ account: Account, ifStill revision: Int64? = nil) async throws(AccountError)
    -> Bool
  {
    try await change { database in
      let isGone =
        try await database.execute(
          "DELETE FROM account WHERE id = ?1 AND token_revision = coalesce(?2, token_revision)", .text(account.id),
          SQLValue(revision)) == 1
      let right = StoreRight.refresh(number: account.row.number, id: account.id)
      if isGone, isShared { try await Lease.remove(right.leaseName, in: database) }
    }
    try await reload(account)
    return account.isRemoved
  }

  /// True if new tokens are possible without the user: by a refresh token, by a flow, or by the application's own grant.
  package func canRenew(_ account: Account) async throws(AccountError) -> Bool {
    guard !account.isRemoved else { throw removed(account) }
    if account.renewsWithoutUser || account.refreshFlow != nil { return true }
    return try await tokens(of: account).refreshToken != nil
  }

  /// Every account of the group, the first one added first.
  package func all() async throws(AccountError) -> [Account] {
    let rows = try await use {
      try await $0.query(
        "SELECT \(AccountRow.columns) FROM account WHERE vault_group = ? ORDER BY number", .text(group))
    }
    // One that cannot be read is told, and keeps nobody from the others.
    var accounts: [Account] = []
    for row in damaged.readable(rows.map(reader), AccountRow.init) { accounts.append(try account(row)) }
    return accounts
  }

  /// The account that matches everything given; of several the current one, else the one that last signed in. The policy's
  /// letter case does not matter.
  package func find(
    name: String? = nil, id: String? = nil, policy: String? = nil, accountType: String? = nil
  ) async throws(AccountError) -> Account? {
    let rows = try await use {
      try await $0.query(
        """
        SELECT \(AccountRow.columns) FROM account WHERE vault_group = ?1
          AND name = coalesce(?2, name) AND id = coalesce(?3, id) AND policy_key = coalesce(?4, policy_key)
          AND account_type = coalesce(?5, account_type)
        ORDER BY id IN (SELECT account_id FROM current_account WHERE vault_group = ?1) DESC, obtained_at DESC, number DESC
        LIMIT 1
        """, .text(group), SQLValue(name), SQLValue(id), SQLValue(policy.map(AccountIdentity.policyKey)),
        SQLValue(accountType))
    }
    return try account(in: rows)
  }

  /// The account last signed in, or last given to `use`; nil when it is gone.
  package func current() async throws(AccountError) -> Account? {
    let rows = try await use {
      try await $0.query(
        """
        SELECT \(AccountRow.columns) FROM account
        WHERE id = (SELECT account_id FROM current_account WHERE vault_group = ?)
        """, .text(group))
    }
    return try account(in: rows)
  }

  /// Makes an account the current one, for every process that shares the group.
  package func use(_ account: Account) async throws(AccountError) {
    try await change { database in
      guard try await database.first("SELECT 1 FROM account WHERE id = ?", .text(account.id)) != nil else {
        throw removed(account)
      }
      try await makeCurrent(account.id, in: database)
    }
  }

  /// Takes over what other processes changed; an account they removed is marked so.
  func reload(_ account: Account) async throws(AccountError) {
    guard let row = try await row(of: account) else { return forget(account) }
    try update(account, row)
  }

  func row(of account: Account) async throws(AccountError) -> AccountRow? {
    let row = try await use {
      try await $0.first("SELECT \(AccountRow.columns) FROM account WHERE id = ?", .text(account.id))
    }
    return try row.map(parse)
  }

  /// The account of the first row; nil without rows.
  private func account(in rows: [Row]) throws(AccountError) -> Account? {
    guard let row = rows.first else { return nil }
    return try account(try parse(row))
  }

  private func reader(_ row: Row) -> RowReader { row.reader(of: "account", in: path, key: ["name"]) }

  func parse(_ row: Row) throws(AccountError) -> AccountRow {
    do { return try AccountRow(reader(row)) } catch { throw StoreSchema.translate(error, path) }
  }

  func removed(_ account: Account) -> AccountError {
    AccountError(.removed, "the account \(account.name) is no longer in the store", hint: "sign in again")
  }
}
