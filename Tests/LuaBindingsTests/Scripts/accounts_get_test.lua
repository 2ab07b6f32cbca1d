-- Accounts by name, where they are kept, and whether they last.

local b2c = require "b2c"
local accounts = b2c.accounts
local support = require "support"
local equal, failure = support.equal, support.failure

local e = failure(accounts.get)
equal(e.code, "no_account")
equal(e.message, "nobody is signed in")
e = failure(accounts.get, "Alice Liddell")
equal(e.message, "there is no account named 'Alice Liddell'")
equal(e.hint, "nobody is signed in")

local alice = support.sign_in()
local bob = support.sign_in { username = "bob", password = "Skyscraper-2", scopes = "openid " .. b2c.settings.clientID }
equal(accounts.get(), bob)
equal(accounts.get("Alice Liddell"), alice)
equal(accounts.get(alice.id), alice)
equal(failure(accounts.get, "Alice Lidell").hint, "did you mean 'Alice Liddell'?")
equal(failure(accounts.get, "Humpty Dumpty").hint, "the accounts are Alice Liddell, " .. bob.name)

-- Without offline_access there is no refresh token.
equal(alice:can_refresh(), true)
equal(bob:can_refresh(), false)

-- A store in memory has its key there, and nowhere else to take it.
local vault = accounts.vault()
equal(vault.kind, "memory")
equal(vault.place, "the key in memory")
equal(vault.store, ":memory:")
equal(vault.problem, nil)
equal(failure(accounts.move_vault, "key_file").code, "vault_unusable")
equal(support.message(accounts.move_vault, "drawer"),
  'accounts.move_vault: argument 1: expected one of "key_file", "secret_service", got "drawer"')
equal(alice:token():reveal() ~= nil, true)
