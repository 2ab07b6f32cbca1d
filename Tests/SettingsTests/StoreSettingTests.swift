import Core
import JSON
import Settings
import Testing

@Suite("The setting store")
struct StoreSettingTests {
  private func settings(_ store: String, source: String = "test") throws(SettingsError) -> Settings {
    try Settings(values: ["store": .string(store)], source: source)
  }

  @Test("is the address of a database")
  func address() throws {
    #expect(
      try settings("postgresql://b2c@db/b2c?sslmode=verify-full").store == "postgresql://b2c@db/b2c?sslmode=verify-full"
    )
    #expect(try settings("").store == nil)
    let error = #expect(throws: SettingsError.self) { try settings("/var/lib/b2c") }
    #expect(
      error?.message
        == "test: store is \"/var/lib/b2c\"; put the address of a PostgreSQL database, such as postgresql://b2c@db.example.com/b2c there"
    )
  }

  @Test(
    "has no password",
    arguments: [
      "postgresql://b2c:secret@db/b2c", "postgresql://b2c@db/b2c?password=secret",
      "postgresql://b2c:Sup3r?Secret@db/b2c",
      "postgresql://b2c:Sup3r#Secret@db/b2c", "postgresql://b2c@db/b2c?sslpassword=secret",
    ])
  func password(store: String) {
    let error = #expect(throws: SettingsError.self) { try settings(store) }
    #expect(
      error?.message
        == "test: store has a password; write the password into the file of PGPASSFILE (by default ~/.pgpass)")
  }

  @Test("is not shown if libpq cannot read it")
  func unreadable() {
    let error = #expect(throws: SettingsError.self) { try settings("postgresql://b2c:pa/ss-SECRET@db:1/b2c") }
    #expect(error?.message.hasPrefix("test: store is not the address of a database that libpq can read; ") == true)
    #expect(error?.description.contains("SECRET") == false)
  }

  @Test("is not for the file of the current folder")
  func atHand() {
    let error = #expect(throws: SettingsError.self) { try settings("postgresql://db/b2c", source: "settings.plist") }
    #expect(
      error?.message.contains("names a database, which the settings.plist of the current folder may not do") == true)
  }
}
