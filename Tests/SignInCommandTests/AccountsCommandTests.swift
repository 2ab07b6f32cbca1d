import CommandLineSupport
import Databases
import Foundation
import Testing

@Suite("b2c-run accounts")
struct AccountsCommandTests {
  @Test("a table with the current account marked, and another one made the current")
  func table() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    try tenant.signIn("bob", "Skyscraper-2", "policy = 'b2c_1_signin', account_type = 'work'")
    let result = try tenant.program.run("accounts")
    #expect(result.status == 0, "\(result)")
    #expect(
      result.output == """
           name            policy        type             expires    vault
           Alice Liddell   b2c_1_susi    B2C_Local_Tasks  in 60 min  key_file
        *  Bob Baumeister  b2c_1_signin  work             in 60 min  key_file

        """)
    let used = try tenant.program.run("accounts", "use", "Alice Liddell")
    #expect(used.output.contains("\n*  Alice Liddell "), "\(used)")
    #expect(try tenant.program.run("-e", "print(b2c.accounts.current().name)").output == "Alice Liddell\n")
  }

  @Test("use refuses a name of several accounts, and takes the ID of one")
  func sameName() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    try tenant.signIn("alice", "Wonderland-1", "policy = 'b2c_1_signin'")
    let ids = try tenant.program.run("-e", "for _, a in ipairs(b2c.accounts.all()) do print(a.id) end").output
      .split(separator: "\n")
    let refused = try tenant.program.run("accounts", "use", "Alice Liddell")
    #expect(refused.status == 2)
    #expect(
      refused.errors == """
        b2c-run: accounts: several accounts have the name 'Alice Liddell': \(ids[0]) (b2c_1_susi), \(ids[1]) (b2c_1_signin)
          hint: give the ID of one of them: b2c-run accounts use ID

        """)
    #expect(try tenant.program.run("accounts", "use", String(ids[0])).status == 0)
    #expect(try tenant.program.run("-e", "print(b2c.accounts.current().id)").output == "\(ids[0])\n")
  }

  @Test("an account whose name only the script gave is marked")
  func given() throws {
    let tenant = try RunningTenant()
    let script = """
      accounts.sign_in { policy = 'ropc', subject = 'alice', flow = function(ctx)
        return oauth.token {
          grant_type = 'password', policy = 'ropc', username = 'alice', password = 'Wonderland-1',
          scopes = { b2c.settings.clientID },
        }
      end }
      """
    #expect(try tenant.program.run("-e", script).status == 0)
    #expect(try tenant.program.run("accounts").output.contains("\n*  alice (given)  b2c_1_ropc  "))
    #expect(try tenant.program.run("accounts", "--json").output.contains("\"proven\": false"))
  }

  @Test("an account that has expired says what can be done")
  func expired() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    try tenant.signIn(
      "bob", "Skyscraper-2", "scopes = { 'openid', b2c.settings.clientID }")
    let store = tenant.program.folder.appending(path: ".local/state/b2c-run/accounts.sqlite").path
    let database = try SQLiteConnection(path: store)
    let time = Int64(Date().timeIntervalSince1970) - 3 * 3600
    try database.execute("UPDATE account SET expires_at = ?", .integer(time))
    let result = try tenant.program.run("accounts")
    #expect(
      result.output == """
           name            policy      type             expires                         vault
           Alice Liddell   b2c_1_susi  B2C_Local_Tasks  expired 3 h ago, refreshable    key_file
        *  Bob Baumeister  b2c_1_susi  B2C_Local_Tasks  expired 3 h ago, sign in again  key_file

        """, "\(result)")
  }

  @Test("--json has all there is, for programs")
  func json() throws {
    let tenant = try RunningTenant()
    #expect(try tenant.program.run("accounts", "--json").output == "[]\n")
    try tenant.signIn()
    let result = try tenant.program.run("accounts", "--json")
    let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
    let account = try #require(list?.first)
    #expect(account["name"] as? String == "Alice Liddell")
    #expect(account["policy"] as? String == "b2c_1_susi")
    #expect(account["account_type"] as? String == "B2C_Local_Tasks")
    #expect(account["current"] as? Bool == true)
    #expect(account["refreshable"] as? Bool == true)
    #expect(account["vault"] as? String == "key_file")
    #expect((account["scopes"] as? [String])?.contains("offline_access") == true)
    let expiry = try #require(account["expires_at"] as? Double)
    #expect(abs(expiry - Date().timeIntervalSince1970 - 3600) < 120)
    let id = try #require(account["id"] as? String)
    #expect(try tenant.program.run("accounts", "use", id).status == 0)
  }

  @Test("nobody signed in is said, on standard error")
  func nobody() throws {
    let tenant = try RunningTenant()
    let result = try tenant.program.run("--settings", "settings.plist", "accounts")
    #expect(result.status == 0)
    #expect(result.output == "")
    #expect(
      result.errors
        == "info  nobody is signed in; b2c-run --settings settings.plist sign-in does it, or accounts.sign_in { … } in a script\n"
    )
  }

  @Test(
    "wrong use",
    arguments: [
      (["uses", "x"], "accounts: expected use, got 'uses'\n  hint: did you mean 'use'?"),
      (["use"], "accounts: expected a NAME after use"),
      (
        ["--vault", "keyfile"],
        "accounts: --vault: expected one of key_file, secret_service, got 'keyfile'\n  hint: did you mean 'key_file'?"
      ),
      (
        ["use", "x", "y"],
        "accounts: unexpected argument 'y'\n"
          + "  hint: the command is b2c-run accounts [--json] or b2c-run accounts use NAME or b2c-run accounts --vault KIND"
      ),
    ])
  func wrongUse(arguments: [String], message: String) throws {
    let result = try Program().run(list: ["--local", "accounts"] + arguments)
    #expect(result.status == 2)
    #expect(result.errors == "b2c-run: \(message)\n")
  }

  @Test("a name there is not is an error that names those there are")
  func unknown() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    let result = try tenant.program.run("accounts", "use", "Humpty Dumpty")
    #expect(result.status == 1)
    #expect(
      result.errors == "b2c-run: there is no account named 'Humpty Dumpty'\n  hint: the accounts are Alice Liddell\n")
  }

  @Test("--vault moves the key to the desktop's Secret Service and back, and the accounts stay signed in")
  func vault() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    // A message bus and a keyring of its own, which must have its name before the bus starts another one. Only KILL ends them: they inherit signals blocked by the test's threads.
    let result = try tenant.program.shell(
      #"""
      { read address; read bus; } < <(dbus-daemon --session --fork --print-address=1 --print-pid=1)
      export DBUS_SESSION_BUS_ADDRESS="$address" XDG_RUNTIME_DIR="$HOME"
      gnome-keyring-daemon --unlock --components=secrets --foreground < <(printf password) > /dev/null 2>&1 &
      trap "kill -KILL $bus $!" EXIT
      for i in {1..300}; do
        dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
          string:org.freedesktop.secrets | grep -q true && break
        sleep 0.1
      done
      run() { timeout -s KILL 30 "$0" "$@"; }
      run accounts --vault secret_service
      ls "$HOME"/.local/state/b2c-run/*.key
      run token --refresh --reveal | wc -w
      run doctor | grep vault
      run accounts --vault key_file
      ls "$HOME"/.local/state/b2c-run/*.key | wc -l
      """#, "")
    let rows = result.output.split(separator: "\n").map(String.init)
    #expect(rows.count == 7, "\(result)")
    #expect(rows.dropFirst().first == "*  Alice Liddell  b2c_1_susi  B2C_Local_Tasks  in 60 min  secret_service")
    #expect(rows.dropFirst(2).first == "1")
    #expect(rows.dropFirst(3).first?.hasPrefix("ok      vault        ") == true)
    #expect(rows.dropFirst(5).first == "*  Alice Liddell  b2c_1_susi  B2C_Local_Tasks  in 60 min  key_file")
    #expect(rows.last == "1")
    #expect(result.errors.contains("No such file or directory"), "the key file is gone meanwhile: \(result)")
    #expect(try tenant.program.run("token", "--refresh").status == 0)
  }

  @Test("without a desktop there is no Secret Service to move the key to")
  func noDesktop() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    let result = try tenant.program.run("accounts", "--vault", "secret_service")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: the key of the accounts belongs in the Secret Service, and there is no desktop session: DBUS_SESSION_BUS_ADDRESS is not set
          hint: run this in the desktop's session, or give another folder with --store, where the key is a file

        """)
    #expect(try tenant.program.run("token", "--refresh").status == 0)
  }

  @Test("keys that cannot be used are told below the table")
  func unusableKey() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    let folder = tenant.program.folder.appending(path: ".local/state/b2c-run")
    let key = folder.appending(path: "accounts-com_2e_onmicrosoft_2e_contoso_2e_tasks.key")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.path)
    let result = try tenant.program.run("accounts")
    #expect(result.status == 1)
    #expect(result.output.contains("\n*  Alice Liddell "), "\(result)")
    #expect(result.errors.hasPrefix("b2c-run: the key file \(key.path) "), "\(result)")
  }
}
