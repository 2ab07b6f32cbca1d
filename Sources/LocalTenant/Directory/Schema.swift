/// The schema of the tenant's database. A migration never changes after its release.
enum Schema {
  static let steps = [
    """
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE signing_keys (number INTEGER PRIMARY KEY, jwk TEXT NOT NULL);
    CREATE TABLE users (
      id TEXT PRIMARY KEY,
      username TEXT NOT NULL UNIQUE COLLATE NOCASE,
      email TEXT NOT NULL UNIQUE COLLATE NOCASE,
      display_name TEXT NOT NULL,
      password TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE refresh_tokens (
      hash TEXT PRIMARY KEY,
      family TEXT NOT NULL,
      client TEXT NOT NULL,
      user_id TEXT NOT NULL,
      policy TEXT NOT NULL,
      scope TEXT NOT NULL,
      auth_time INTEGER NOT NULL,
      issued INTEGER NOT NULL,
      expires INTEGER NOT NULL,
      is_used INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX refresh_token_families ON refresh_tokens (family);
    CREATE TABLE tasks (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      owner TEXT NOT NULL,
      text TEXT NOT NULL,
      completed INTEGER NOT NULL,
      modified INTEGER NOT NULL
    );
    CREATE INDEX tasks_of_owner ON tasks (owner, id);
    CREATE TABLE idempotency (
      owner TEXT NOT NULL,
      key TEXT NOT NULL,
      text TEXT NOT NULL,
      task INTEGER NOT NULL,
      PRIMARY KEY (owner, key)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE users ADD COLUMN otp TEXT;
    ALTER TABLE users ADD COLUMN otp_step INTEGER NOT NULL DEFAULT -1;
    ALTER TABLE users ADD COLUMN phone TEXT;
    ALTER TABLE users ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE users ADD COLUMN locked_until INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE refresh_tokens ADD COLUMN sid TEXT;
    ALTER TABLE refresh_tokens ADD COLUMN acr TEXT;
    CREATE TABLE front_channel_logout (client TEXT PRIMARY KEY, uri TEXT NOT NULL) WITHOUT ROWID;
    """,
    "ALTER TABLE users ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE refresh_tokens ADD COLUMN jkt TEXT",
    "CREATE TABLE applications (id TEXT PRIMARY KEY, metadata TEXT NOT NULL) WITHOUT ROWID",
    "ALTER TABLE refresh_tokens ADD COLUMN x5t TEXT",
    "ALTER TABLE refresh_tokens ADD COLUMN resources TEXT; ALTER TABLE refresh_tokens ADD COLUMN details TEXT;",
    "ALTER TABLE refresh_tokens ADD COLUMN signed_in INTEGER",
    """
    ALTER TABLE tasks ADD COLUMN fields TEXT;
    ALTER TABLE tasks ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
    """,
  ]
}
