import CPQShims
import Core

/// The address of a PostgreSQL database, as a URI that libpq reads: `postgresql://USER@HOST:PORT/NAME?sslmode=verify-full`
/// (PostgreSQL 15, 34.1.1.2). Several hosts are separated by commas.
package struct PostgresAddress: Sendable, Equatable {
  /// The address as it was given, perhaps with a password. It is for libpq alone.
  let text: String
  /// The address without a password and without parameters.
  package let shown: String

  /// True if a text is the address of a PostgreSQL database, and not the path of a folder.
  package static func isOne(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// Reads the address. Throws `bad_database_address`, without the address's secrets.
  package init(_ text: String) throws(PostgresError) {
    self.text = text
    shown = Self.shown(text)
    try Self.demandLibrary(shown)
    var message: UnsafeMutablePointer<CChar>?
    guard let options = cpq_parse(text, &message) else {
      // libpq's message quotes parts of the address.
      cpq_free(message)
      throw Self.bad(shown, "libpq cannot read it")
    }
    defer { cpq_free_options(options) }
    var option = options
    var database: String?
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        switch String(cString: keyword) {
        case "dbname": database = String(cString: value)
        // No message shows the password, whoever quotes it.
        case "password": _ = Secret(String(cString: value))
        default: break
        }
      }
      option += 1
    }
    guard database?.isEmpty == false else { throw Self.bad(shown, "it names no database") }
  }

  private static func bad(_ shown: String, _ reason: String) -> PostgresError {
    PostgresError(
      .badAddress, "\(shown) is not the address of a PostgreSQL database: \(reason)",
      hint: "expected postgresql://USER@HOST/NAME, with the password in the file of PGPASSFILE (by default ~/.pgpass)",
      place: shown)
  }

  /// The text without a password, if it is an address; any other text as it is.
  package static func withoutPassword(_ text: String) -> String { isOne(text) ? withoutPassword(WebAddress(text)).text : text }

  static func demandLibrary(_ shown: String) throws(PostgresError) {
    try library.demand { message, hint in
      PostgresError(.noLibrary, "the database \(shown) needs libpq: \(message)", hint: hint, place: shown)
    }
  }

  private static let library = LazyLibrary("libpq", package: "libpq5", cpq_load)

  private static func shown(_ text: String) -> String {
    var address = withoutPassword(WebAddress(text))
    address.query = nil
    address.fragment = nil
    return address.text
  }

  private static func withoutPassword(_ address: WebAddress) -> WebAddress {
    var address = address
    let authority = String(address.authority)
    if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") {
      let user = authority[..<colon]
      address.base = address.base.replacing(authority, with: user + authority[at...], maxReplacements: 1)
    }
    address.query = address.query.map { query in
      query.split(separator: "&").filter { !$0.lowercased().contains("password=") }.joined(separator: "&")
    }
    return address
  }
}
