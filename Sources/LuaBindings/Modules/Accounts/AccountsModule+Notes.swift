import Accounts
import Lua

extension LuaRecord {
  /// The argument of a handler of `accounts.on_changed`.
  static let change = LuaRecord(
    "change", "What happened to an account.",
    [
      Parameter("kind", .choice(["added", "updated", "removed"]), "What was done."),
      Parameter("account", .object("account"), "Whose it is."),
      Parameter("reason", .choice(["sign_in", "refresh", "user_data", "sign_out", "revoked"]), "Why."),
    ])

  /// The argument of a handler of `accounts.on_failed`.
  static let signInFailure = LuaRecord(
    "sign-in failure", "A sign-in or a refresh that failed.",
    [
      Parameter("error", .record(.error), "What went wrong."),
      Parameter("policy", .string, optional: true, "The policy it was at."),
      Parameter("stage", .choice(["authorize", "token", "refresh"]), "How far it came."),
      Parameter("account_type", .string, "The type given at sign-in."),
      Parameter("account", .object("account"), optional: true, "Whose tokens could not be refreshed."),
      Parameter("attempt", .integer, "1 for the first try; a sign-in has five at most."),
    ])

  /// The result of `accounts.vault`.
  static let vault = LuaRecord(
    "vault", "Where the accounts are kept, and the key that seals their tokens.",
    [
      Parameter("kind", .choice(["key_file", "secret_service", "memory"]), "What keeps the key."),
      Parameter("place", .string, "Where the key is."), Parameter("store", .string, "Where the accounts are."),
      Parameter("problem", .record(.error), optional: true, "What keeps the key from being used."),
    ])
}

extension AccountsModule {
  nonisolated static let notes = """
    Accounts are kept under `$XDG_STATE_HOME/b2c-run` (by default `~/.local/state/b2c-run`), or in the folder of `--store`: a
    SQLite file that only its owner can read, with the tokens encrypted, and a key file beside it. The setting `keychain`
    names the group: scripts with the same one share their accounts. With `--local`, they are in memory, unless `--store` is
    given. [Accounts](Accounts.md) tells more.

    The options that a handler of `on_failed` returns go on for at most five attempts. Each failure is told once.
    """

  nonisolated static let example = """
    local accounts = require "b2c.accounts"

    local changes <close> = accounts.on_changed(function(change)
      print(change.kind, change.account.name, change.reason)
    end)

    local alice = accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
    alice.data.greeting = "Curiouser and curiouser!"
    alice:save()

    local bob = accounts.sign_in { agent = "headless", username = "bob", password = "Skyscraper-2" }
    assert(accounts.current() == bob)
    accounts.use(alice)
    print(accounts.current().data.greeting)

    accounts.sign_out(bob)
    """
}
