import Core
import DatabaseAddress
import Databases
import Glibc
import TestSupport
import Testing

/// The address is taken apart by libpq alone, so that no part of a password is taken for anything else.
@Suite("The address of a database")
struct AddressTests {
  @Test(
    "is shown without secrets",
    arguments: [
      ("postgresql://b2c@db/b2c?sslmode=verify-full", "postgresql://b2c@db/b2c", false),
      ("postgres://db/b2c", "postgresql://db/b2c", false),
      ("postgresql://b2c:secret@db:5433/b2c", "postgresql://b2c@db:5433/b2c", true),
      ("postgresql://b2c:Sup3r?SecretPw@db/b2c", "postgresql://b2c@db/b2c", true),
      ("postgresql://b2c:Sup3r#SecretPw@db/b2c", "postgresql://b2c@db/b2c", true),
      ("postgresql://b2c:a%2Fb@db/b2c", "postgresql://b2c@db/b2c", true),
      ("postgresql://b2c@db/b2c?password=secret", "postgresql://b2c@db/b2c", true),
      ("postgresql://b2c@db/b2c?sslpassword=secret&sslmode=require", "postgresql://b2c@db/b2c", true),
      ("postgresql://b2c@one:1,two:2/b2c", "postgresql://b2c@one:1,two:2/b2c", false),
      ("postgresql://b2c@[::1]:5432/b2c", "postgresql://b2c@[::1]:5432/b2c", false),
      ("postgresql://b2c@%2Ftmp:5432/b2c", "postgresql://b2c@%2Ftmp:5432/b2c", false),
      ("postgresql:///?service=svc", "postgresql://?service=svc", false),
    ])
  func shown(text: String, shown: String, hasPassword: Bool) throws {
    let address = try PostgresAddress(text)
    #expect(address.shown == shown)
    #expect(address.hasPassword == hasPassword)
    #expect(PostgresAddress.hidePassword(of: text) == hasPassword)
    #expect(PostgresAddress.withoutPassword(text).hasPrefix(shown))
    #expect(!PostgresAddress.withoutPassword(text).lowercased().contains("secret"))
  }

  @Test(
    "that cannot be read is not shown at all",
    arguments: [
      "postgresql://b2c:pa/ss-SECRET@127.0.0.1:5432/b2c", "postgresql://b2c:12/ss-SECRET@127.0.0.1:5432/b2c",
      "postgresql://b2c:12/ss-SECRET@127.0.0.1:5432/b2c?user=x", "postgresql://b2c:p@ss-SECRET@db/b2c",
      "postgresql://b2c:SECRET%zz@db/b2c", "postgresql://b2c@db/b2c?passwd=SECRET", "postgresql://b2c:S/EC?R=ET@db/b2c",
    ])
  func hidden(text: String) {
    let error = #expect(throws: AddressError.self) { try PostgresAddress(text) }
    #expect(error?.message.hasPrefix("postgresql://… is not the address of a PostgreSQL database: ") == true)
    #expect(error.map { "\($0) \($0.details)".contains("SECRET") } == false)
    #expect(PostgresAddress.withoutPassword(text) == "postgresql://…")
  }

  @Test("keeps its parameters in a command to paste")
  func parameters() {
    #expect(
      PostgresAddress.withoutPassword("postgresql://b2c:secret@db/b2c?sslmode=verify-full&connect_timeout=3")
        == "postgresql://b2c@db/b2c?connect_timeout=3&sslmode=verify-full")
  }

  @Test("needs a name, unless a service may have it")
  func name() {
    let error = #expect(throws: AddressError.self) { try PostgresAddress("postgresql://b2c@db") }
    #expect(error?.message == "postgresql://b2c@db is not the address of a PostgreSQL database: it names no database")
    #expect(throws: Never.self) { try PostgresAddress("postgresql://?service=svc") }
  }
}
