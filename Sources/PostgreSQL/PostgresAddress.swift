import CPQShims
import Core
import Glibc

/// The address of a PostgreSQL database, as a URI that libpq reads: `postgresql://USER@HOST:PORT/NAME?sslmode=verify-full`
/// (PostgreSQL 15, 34.1.1.2). Several hosts are separated by commas.
package struct PostgresAddress: Sendable, Equatable {
  /// The address as it was given, perhaps with a password. It is for libpq alone.
  let text: String
  /// The address without a password and without parameters.
  package let shown: String
  /// The ports of the servers.
  package let ports: [UInt16]
  /// The files that libpq reads on the way to the servers, whether they are there or not.
  package let files: [String]

  /// True if a text is the address of a PostgreSQL database, and not the path of a folder.
  package static func isOne(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// Reads the address. Throws `bad_database_address`, without the address's secrets.
  package init(_ text: String) throws(PostgresError) {
    self.text = text
    let shown = Self.shown(text)
    self.shown = shown
    try Self.demandLibrary(shown)
    var message: UnsafeMutablePointer<CChar>?
    guard let options = cpq_parse(text, &message) else {
      // libpq's message quotes parts of the address.
      cpq_free(message)
      throw Self.bad(shown, "libpq cannot read it")
    }
    defer { cpq_free_options(options) }
    var option = options
    var values: [String: String] = [:]
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    // No message shows the password, whoever quotes it.
    if let password = values["password"] { _ = Secret(password) }
    let ports = (values["port"] ?? Self.variable("PGPORT") ?? "5432").split(separator: ",")
    self.ports = ports.compactMap { UInt16($0) }
    files =
      Self.passwordFiles + ["passfile", "sslrootcert", "sslcert", "sslkey", "sslcrl"].compactMap { values[$0] }
      + ["PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY"].compactMap(Self.variable)
      + (Self.variable("HOME").map { ["\($0)/.postgresql"] } ?? [])
    // A message of libpq would quote it, and it may be a part of a password.
    guard self.ports.count == ports.count else { throw Self.bad(shown, "its port is no number") }
    guard values["dbname"]?.isEmpty == false else { throw Self.bad(shown, "it names no database") }
  }

  private static func bad(_ shown: String, _ reason: String) -> PostgresError {
    PostgresError(
      .badAddress, "\(shown) is not the address of a PostgreSQL database: \(reason)",
      hint: "expected postgresql://USER@HOST/NAME, with the password in the file of PGPASSFILE (by default ~/.pgpass)",
      place: shown)
  }

  /// The files of passwords: that of PGPASSFILE, or `~/.pgpass`.
  package static var passwordFiles: [String] {
    [variable("PGPASSFILE") ?? variable("HOME").map { "\($0)/.pgpass" }].compactMap(\.self)
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Keeps the password of an address out of all output. Returns true if it has one.
  package static func hidePassword(of text: String) -> Bool {
    var passwords = WebAddress(text).fields.filter { $0.name == "password" }.map(\.value)
    if let spelled = passwordMark(in: text).map({ String(text[$0].dropFirst()) }) {
      let decoded = URLEncodedForm.decode("p=\(spelled.replacing("+", with: "%2B"))").first?.1
      passwords += [spelled, decoded ?? spelled]
    }
    for password in passwords { _ = Secret(password) }
    return !passwords.isEmpty
  }

  /// The text without a password, if it is an address; any other text as it is.
  package static func withoutPassword(_ text: String) -> String {
    guard isOne(text) else { return text }
    var plain = text
    if let mark = passwordMark(in: text) { plain.removeSubrange(mark) }
    var address = WebAddress(plain)
    address.query = address.query.map { query in
      query.split(separator: "&").filter { field in
        URLEncodedForm.decode(field).first?.0.lowercased().contains("password") != true
      }.joined(separator: "&")
    }
    return address.text
  }

  /// The password before the host, with the colon in front of it. libpq looks for it before it looks for a path and for
  /// parameters, so it may have a `?`. It cannot have a `/`, but a person may forget to encode one.
  private static func passwordMark(in text: String) -> Range<String.Index>? {
    guard isOne(text), let start = text.firstRange(of: "://")?.upperBound else { return nil }
    let (at, colon) = (UInt8(ascii: "@"), UInt8(ascii: ":"))
    let rest = text.utf8[start...]
    let server = rest.prefix { $0 != UInt8(ascii: "/") }
    var end = server.lastIndex(of: at)
    let port = server.drop { $0 != colon }.dropFirst()
    if end == nil, !port.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      end = rest.lastIndex(of: at)
    }
    guard let end, let begin = rest[..<end].firstIndex(of: colon) else { return nil }
    return begin..<end
  }

  static func demandLibrary(_ shown: String) throws(PostgresError) {
    try library.demand { message, hint in
      PostgresError(.noLibrary, "the database \(shown) needs libpq: \(message)", hint: hint, place: shown)
    }
  }

  private static let library = LazyLibrary("libpq", package: "libpq5", cpq_load)

  private static func shown(_ text: String) -> String {
    var address = WebAddress(withoutPassword(text))
    address.query = nil
    address.fragment = nil
    return address.text
  }
}
