import Core
import Databases
import HostLoop
import JOSE
import OAuth

/// Opens the tokens of accounts, and checks that the rows around them are what was sealed.
extension AccountStore {
  /// The account's tokens, opened with the group's key when they are needed for the first time.
  /// - Throws: `tokens_unreadable` for tokens that were sealed with another key, `store_damaged` for an account that
  ///   somebody has changed since.
  func tokens(of account: Account) async throws(AccountError) -> TokenSet {
    try checkOpening(account)
    if let tokens = account.tokens { return tokens }
    let key = try await key()
    guard !account.isRemoved else { throw removed(account) }
    let row = account.row
    guard let opened = OpenedTokens(row.sealedTokens, of: row.id, with: key) else {
      throw AccountError(
        .tokensUnreadable,
        "the tokens of the account \(account.name) in \(path) do not open with \(try await vaultPlace): they were sealed with another key",
        hint: "put the key back, or sign in again")
    }
    try demandSealed(row, opened)
    account.tokens = opened.tokens
    if opened.facts == nil { await sealAnew(opened.tokens, of: account, with: key) }
    return opened.tokens
  }

  /// Checks that a row is what was sealed together with its tokens.
  func demandSealed(_ row: AccountRow, _ opened: OpenedTokens) throws(AccountError) {
    guard let sealed = opened.facts else {
      // Who may write to the file of one machine is its user.
      guard isShared else { return }
      throw AccountError(
        .storeDamaged,
        "the account \(row.name.displayable) in \(path) does not say with its tokens where they may go: an earlier version stored it, or somebody has changed it",
        hint: "sign in again")
    }
    let columns = row.facts.columns(otherThan: sealed)
    guard !columns.isEmpty else { return }
    throw AccountError(
      .storeDamaged,
      "the account \(sealed.name.displayable) in \(path) was changed by somebody else since it signed in (\(columns.joined(separator: ", "))); its tokens were not used",
      hint: "find out who can write to the store, and sign in again")
  }

  /// Seals the tokens of an earlier version together with the account's facts.
  private func sealAnew(_ tokens: TokenSet, of account: Account, with key: JWK) async {
    let row = account.row
    // If it cannot be written now, the next process tries it again.
    guard let sealed = try? tokens.sealed(for: row.id, row.facts, with: key) else { return }
    _ = try? await change {
      try await $0.execute(
        "UPDATE account SET tokens = ? WHERE id = ? AND tokens = ?", .text(sealed), .text(row.id),
        .text(row.sealedTokens))
    }
  }

  /// The account of a row. There is one object for each account.
  func account(_ row: AccountRow) throws(AccountError) -> Account {
    guard let account = known[row.id] else {
      let account = Account(row)
      known[row.id] = account
      return account
    }
    try update(account, row)
    return account
  }

  /// Takes over what the store holds. An account whose tokens may be in use takes no row that was not sealed as it is.
  func update(_ account: Account, _ row: AccountRow) throws(AccountError) {
    if row.facts != account.row.facts, let groupKey {
      guard let opened = OpenedTokens(row.sealedTokens, of: row.id, with: groupKey) else {
        throw StoreSchema.damaged(path, "somebody has changed the account \(account.name.displayable)")
      }
      try demandSealed(row, opened)
    }
    guard row.identity == account.identity else {
      throw StoreSchema.damaged(path, "somebody has changed whose account \(account.name.displayable) is")
    }
    account.update(row)
  }
}
