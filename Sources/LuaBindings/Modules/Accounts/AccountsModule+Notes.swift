import Accounts
import Lua

extension LuaRecord {
  /// The argument of a handler of `accounts.on_changed`.
  static let change = LuaRecord(
    "change", "A change of an account.",
    [
      Parameter("kind", .choice(["added", "updated", "removed"]), "The kind of the change."),
      Parameter("account", .object("account"), "The account that changed."),
      Parameter("reason", .choice(["sign_in", "refresh", "user_data", "sign_out", "revoked"]), "The reason."),
    ])

  /// The argument of a handler of `accounts.on_failed`.
  static let signInFailure = LuaRecord(
    "sign-in failure", "A sign-in or a refresh that failed.",
    [
      Parameter("error", .record(.error), "The error."),
      Parameter("policy", .string, optional: true, "The policy of the sign-in."),
      Parameter("stage", .choice(["authorize", "token", "refresh"]), "The step that failed."),
      Parameter("account_type", .string, "The type given at sign-in."),
      Parameter("account", .object("account"), optional: true, "The account whose refresh failed."),
      Parameter("attempt", .integer, "The number of the attempt, from 1 to 5."),
    ])

  /// The result of `accounts.vault`.
  static let vault = LuaRecord(
    "vault", "The store of the accounts, and the key that encrypts their tokens.",
    [
      Parameter("kind", .choice(["key_file", "secret_service", "memory"]), "The kind of key storage."),
      Parameter("place", .string, "The place of the key."), Parameter("store", .string, "The path of the accounts."),
      Parameter("problem", .record(.error), optional: true, "The error that prevents the use of the key."),
    ])
}

extension AccountsModule {
  nonisolated static let notes = """
    Accounts are kept under `$XDG_STATE_HOME/b2c-run` (by default `~/.local/state/b2c-run`), or in the folder of `--store`: a
    SQLite file that only its owner can read, with the tokens encrypted, and a key file beside it. The setting `keychain`
    names the group: scripts with the same one share their accounts. With `--local`, they are in memory, unless `--store` is
    given. [Accounts](Accounts.md) tells more.

    A handler of `on_failed` may return options for another attempt; a sign-in has at most five attempts. Each failure
    calls the handlers once.
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
