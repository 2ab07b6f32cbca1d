import Core
import DatabaseAddress
import HostLoop
import TestSupport
import Testing

@testable import Databases

@Suite("What a PostgreSQL server writes") struct PostgresTextTests {
  private func blob(_ text: String) -> [UInt8]? {
    Array(text.utf8).withUnsafeBufferPointer { PostgresText.blob($0) }
  }

  @Test("bytes in both forms, and others")
  func bytes() {
    #expect(blob(#"\x00fF41"#) == [0, 255, 65])
    #expect(blob(#"\x"#) == [])
    #expect(blob("") == [])
    #expect(blob(#"a\\b\377\000"#) == [97, 92, 98, 255, 0])
    for text in [#"\x0"#, #"\x0g"#, #"\x/0"#, #"\"#, #"\7"#, #"\400"#, #"\89a"#, #"\+12"#] {
      #expect(blob(text) == nil)
    }
  }

  @Test("bytes of a database whose bytea_output is escape", arguments: ["escape", "hex"])
  @HostActor func setting(form: String) async throws {
    let server = try PostgresServer.shared
    let address = server.address(try server.makeDatabase()) + "?options=-cbytea_output%3D\(form)"
    let database = PostgresDatabase(try PostgresAddress(address))
    let bytes = (0...255).map { UInt8($0) }
    #expect(try await database.first("SELECT ?::bytea", .blob(bytes))?[0] == .blob(bytes))
    await database.close()
  }
}

@Suite("Addresses of databases") struct PostgresAddressTests {
  @Test(
    "are shown without the password, wherever it is",
    arguments: [
      ("postgresql://alice:secret12@db.example:5432/tasks?sslmode=require", "postgresql://alice@db.example:5432/tasks"),
      ("postgres://alice:secret12@h1:1,h2:2/tasks", "postgresql://alice@h1:1,h2:2/tasks"),
      ("postgresql://alice:sec?ret12@db.example/tasks", "postgresql://alice@db.example/tasks"),
      ("postgresql://alice:sec#ret12@db.example/tasks", "postgresql://alice@db.example/tasks"),
      ("postgresql://db.example/tasks?user=alice&pass%77ord=secret12", "postgresql://alice@db.example/tasks"),
      ("postgresql://db.example/tasks?application_name=a@b", "postgresql://db.example/tasks"),
    ])
  func shown(text: String, expected: String) throws {
    #expect(try PostgresAddress(text).shown == expected)
    let plain = PostgresAddress.withoutPassword(text)
    #expect(!plain.contains("ret12"))
    #expect(PostgresAddress.withoutPassword(plain) == plain)
    #expect(PostgresAddress.hidePassword(of: text) == text.contains("ret12"))
    #expect(!PostgresAddress.hidePassword(of: plain))
  }

  @Test("an error shows no password with a slash that is not encoded")
  func slash() {
    let error = #expect(throws: AddressError.self) {
      try PostgresAddress("postgresql://alice:sec/ret12@db.example/tasks")
    }
    #expect(error?.message.hasPrefix("postgresql://… is not the address") == true)
    #expect("\(String(describing: error))".contains("sec") == false)
  }
}
