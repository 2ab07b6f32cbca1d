import CommandLineSupport
import Databases
import Foundation
import Testing

@Suite("b2c-run accounts")
struct AccountsCommandTests {
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
