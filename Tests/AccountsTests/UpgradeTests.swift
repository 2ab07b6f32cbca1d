import Accounts
import Core
import Databases
import HostLoop
import JSON
import TestSupport
import Testing

/// A store that an older version of the program wrote.
@Suite struct UpgradeTests {
  /// The database schema of version 1.
  static let version1 = """
    CREATE TABLE account (
      number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, vault_group TEXT NOT NULL, issuer TEXT NOT NULL,
      subject TEXT NOT NULL, account_type TEXT NOT NULL, policy TEXT, policy_key TEXT NOT NULL, name TEXT NOT NULL,
      claims TEXT NOT NULL, scopes TEXT NOT NULL, requested_scopes TEXT NOT NULL, obtained_at INTEGER NOT NULL,
      expires_at INTEGER, data TEXT NOT NULL, token_revision INTEGER NOT NULL, data_revision INTEGER NOT NULL,
      tokens TEXT NOT NULL, UNIQUE (vault_group, issuer, subject, account_type, policy_key)) STRICT;
    CREATE TABLE current_account (
      vault_group TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE) STRICT;
    PRAGMA application_id = 1647469426; PRAGMA user_version = 1;
    """
  static let columns = """
    number, id, vault_group, issuer, subject, account_type, policy, policy_key, name, claims, scopes, requested_scopes, \
    obtained_at, expires_at, data, token_revision, data_revision, tokens
    """

  @Test @HostActor func keepsTheAccounts() async throws {
    let (old, folder) = (TemporaryFolder(), TemporaryFolder())
    let clock = Clock()
    let account = try await signIn(StoreTests.manager(try await AccountStore(.folder(old.path), now: clock.read)))
    try copyAsVersion1(from: old, to: folder)

    let store = try await AccountStore(.folder(folder.path), now: clock.read)
    let kept = try #require(try await store.current())
    #expect(kept.id == account.id)
    #expect(kept.name == "Alice")
    #expect(kept.claims == alice)
    #expect(kept.scopes == ["openid", "offline_access"])
    #expect(kept.obtainedAt == clock.now)
    #expect(kept.provider == [:])
    #expect(kept.grantType == "authorization_code")
    #expect(kept.agent == nil)
    #expect(kept.refreshFlow == nil)
    #expect(kept.isProven)
    #expect(try await store.vaultKind == .keyFile)
    #expect(try await StoreTests.manager(store).token(for: kept).reveal() == "access-0-of-sign-in")
    #expect(try await StoreTests.manager(store).clientSecret(of: kept) == nil)
    // Opening it again finds nothing left to do.
    #expect(try await AccountStore(.folder(folder.path)).all().count == 1)
  }

  /// A copy of the store as version 1 would have written it, the key with it.
  @HostActor private func copyAsVersion1(from old: TemporaryFolder, to folder: TemporaryFolder) throws {
    folder.write(old.contents("accounts-default.key"), to: "accounts-default.key")
    let database = try SQLiteConnection(path: "\(folder.path)/accounts.sqlite")
    try database.executeScript(Self.version1)
    try database.execute("ATTACH DATABASE ? AS other", .text("\(old.path)/accounts.sqlite"))
    try database.execute("INSERT INTO account (\(Self.columns)) SELECT \(Self.columns) FROM other.account")
    try database.execute("INSERT INTO current_account SELECT * FROM other.current_account")
  }
}
