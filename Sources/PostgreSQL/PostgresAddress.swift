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
  /// The file with the password, whether it is there or not; nil if nobody knows a home folder.
  let passwordFile: String?

  /// True if a text is the address of a PostgreSQL database, and not the path of a folder.
  package static func isOne(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// Why a text is neither such an address nor the path of a folder, and the way out; nil if it is one of them. The reason
  /// shows none of the text's values, which may be secret.
  package static func mistake(in text: String) -> (reason: String, hint: String)? {
    guard !isOne(text) else { return nil }
    let hint = "name a folder, or a database as postgresql://USER@HOST/NAME"
    if let separator = text.firstRange(of: "://") {
      let scheme = text[..<separator.lowerBound]
      let isScheme = scheme.first?.isLetter == true && scheme.utf8.allSatisfy(isPartOfScheme)
      if isScheme { return ("\(scheme):// is no store", hint) }
    }
    for scheme in ["postgresql:", "postgres:"] where text.lowercased().hasPrefix(scheme) {
      return ("\(scheme) without // is no store", hint)
    }
    let keyword = text.prefix { $0 != "=" }
    let name = keyword.reversed().drop { $0 == " " }.reversed()
    if keyword.endIndex < text.endIndex, keywords.contains(String(name)) {
      return ("words such as \(String(name))=… are no store", hint)
    }
    return nil
  }

  private static func isPartOfScheme(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"):
      true
    default: false
    }
  }

  /// The keywords with which the other form of libpq's addresses begins (PostgreSQL 15, 34.1.1.1).
  private static let keywords: Set<String> = [
    "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "service", "sslmode", "options",
    "connect_timeout", "application_name", "target_session_attrs",
  ]

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
    ports = try (values["port"] ?? Self.variable("PGPORT") ?? "5432").split(separator: ",").map {
      word throws(PostgresError) in
      guard let port = UInt16(word), port > 0 else {
        // It may be a part of a password.
        throw Self.bad(shown, "its port is no number from 1 to 65535")
      }
      return port
    }
    passwordFile = values["passfile"] ?? Self.passwordFiles.first
    files =
      Self.passwordFiles + ["passfile", "sslrootcert", "sslcert", "sslkey", "sslcrl"].compactMap { values[$0] }
      + ["PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY"].compactMap(Self.variable)
      + (Self.variable("HOME").map { ["\($0)/.postgresql"] } ?? [])
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

  /// The advice about a password that is missing.
  var adviceOnPassword: String {
    var status = stat()
    if let passwordFile, stat(passwordFile, &status) == 0, status.st_mode & 0o077 != 0 {
      let mode = String(status.st_mode & 0o777, radix: 8)
      return "libpq ignores \(passwordFile), because others may read it (mode 0\(mode)): chmod 600 '\(passwordFile)'"
    }
    return
      "write the password into the file \(passwordFile ?? "of PGPASSFILE") (mode 0600): HOST:PORT:NAME:USER:PASSWORD"
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
