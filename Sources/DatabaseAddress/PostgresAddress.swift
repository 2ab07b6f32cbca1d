import CPQShims
import Core
import Files
import Glibc

/// The address of a PostgreSQL database, as a URI that libpq reads: `postgresql://USER@HOST:PORT/NAME?sslmode=verify-full`
/// (PostgreSQL 15, 34.1.1.2). Several hosts are separated by commas. Only libpq takes it apart: a second reader with
/// another grammar would take a part of a password for something else.
package struct PostgresAddress: Sendable, Equatable {
  /// The address as it was given, perhaps with a password. It is for libpq alone.
  package let text: String
  /// The address without secrets and without parameters.
  package let shown: String
  /// The address without secrets.
  let withoutSecrets: String
  /// True if it has a password.
  package let hasPassword: Bool
  /// The ports of the servers.
  package let ports: [UInt16]
  /// The seconds that libpq may wait for all servers in silence; nil without a limit. A server may have two addresses.
  package let connectingTime: Double?
  /// The files that libpq reads on the way to the servers, whether they are there or not.
  package let files: [String]
  /// The file with the password, whether it is there or not; nil if nobody knows a home folder.
  let passwordFile: String?

  /// True if a text is the address of a PostgreSQL database, and not the path of a folder.
  package static func isOne(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// An address that cannot be read: nobody knows which parts of it are secret.
  private static let hidden = "postgresql://…"

  /// Why a text is neither such an address nor the path of a folder, and the way out; nil if it is one of them. The reason
  /// shows none of the text's values, which may be secret.
  package static func mistake(in text: String) -> (reason: String, hint: String)? {
    guard !isOne(text) else { return nil }
    let hint = "name a folder, or a database as postgresql://USER@HOST/NAME"
    if let separator = text.firstRange(of: "://") {
      let scheme = text[..<separator.lowerBound]
      let isScheme = scheme.first?.isLetter == true && scheme.utf8.allSatisfy(isPartOfScheme)
      if isScheme { return ("\(scheme):// is not a store", hint) }
    }
    for scheme in ["postgresql:", "postgres:"] where text.lowercased().hasPrefix(scheme) {
      return ("\(scheme) without // is not a store", hint)
    }
    let keyword = text.prefix { $0 != "=" }
    let name = keyword.reversed().drop { $0 == " " }.reversed()
    if keyword.endIndex < text.endIndex, keywords.contains(String(name)) {
      return ("words such as \(String(name))=… are not a store", hint)
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
  package init(_ text: String) throws(AddressError) {
    self.text = text
    try Self.library.demand { message, hint in
      AddressError(
        .noLibrary, "the database \(Self.hidden) needs libpq: \(message)", hint: hint, details: ["place": Self.hidden])
    }
    let values: [(name: String, value: String, isSecret: Bool)]
    do { values = try Self.values(of: text) } catch {
      // Nor does anybody else show it.
      _ = Secret(text)
      throw error
    }
    func value(_ name: String) -> String? { values.first { $0.name == name }?.value }
    // No message shows the password, whoever quotes it.
    for secret in values where secret.isSecret { _ = Secret(secret.value) }
    if value("password") != nil { _ = Secret(Self.spelledPassword(of: text)) }
    hasPassword = values.contains(where: \.isSecret)
    let service = PostgresService(value("service"))
    let base = Self.base(value)
    let others = values.filter { !$0.isSecret && !["user", "host", "port", "dbname"].contains($0.name) }
      .map { "\($0.name)=\(URLEncodedForm.percentEncode($0.value))" }.joined(separator: "&")
    shown = value("service") == nil ? base : "\(base)?service=\(URLEncodedForm.percentEncode(value("service") ?? ""))"
    withoutSecrets = others.isEmpty ? base : "\(base)?\(others)"
    let port = value("port") ?? service?.port ?? Self.variable("PGPORT") ?? "5432"
    ports = try port.split(separator: ",").map { word throws(AddressError) in
      guard let port = UInt16(word), port > 0 else {
        throw Self.bad(Self.hidden, "its port is not a number from 1 to 65535")
      }
      return port
    }
    let seconds = (value("connect_timeout") ?? Self.variable("PGCONNECT_TIMEOUT")).map { Int($0) ?? 0 } ?? 10
    let servers = ["host", "hostaddr"].compactMap(value).map { $0.split(separator: ",").count }.max() ?? 1
    connectingTime = seconds > 0 ? Double(min(max(2, seconds), 3600) * max(1, servers) * 2) : nil
    passwordFile = value("passfile") ?? Self.passwordFiles.first
    files =
      Self.passwordFiles + ["passfile", "sslrootcert", "sslcert", "sslkey", "sslcrl"].compactMap(value)
      + ["PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY"].compactMap(Self.variable) + (service?.files ?? [])
      + (Self.variable("HOME").map { ["\($0)/.postgresql"] } ?? [])
    guard value("dbname")?.isEmpty == false || service != nil else { throw Self.bad(shown, "it names no database") }
  }

  /// The parts that the address names, as libpq reads them.
  private static func values(of text: String) throws(AddressError) -> [(name: String, value: String, isSecret: Bool)] {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = cpq_parse(text, &message) else {
      // libpq's message quotes parts of the address.
      cpq_free(message)
      throw bad(hidden, "libpq cannot read it")
    }
    defer { cpq_free_options(options) }
    var values: [(name: String, value: String, isSecret: Bool)] = []
    var option = options
    while let keyword = option.pointee.keyword {
      // libpq marks passwords so, for programs that show fields for the options.
      let isSecret = option.pointee.dispchar.map { String(cString: $0) } == "*"
      if let value = option.pointee.val, value.pointee != 0 || !isSecret {
        values.append((String(cString: keyword), String(cString: value), isSecret))
      }
      option += 1
    }
    // With a / in the password, libpq takes its beginning for a port and its end for the name of the database.
    let port = values.first { $0.name == "port" }?.value ?? ""
    let isRead = port.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ",")
    }
    let (_, rest) = credentials(of: text)
    guard isRead, !rest.prefix(while: { $0 != UInt8(ascii: "?") }).contains(UInt8(ascii: "@")) else {
      throw bad(
        hidden,
        "its port is not a number, or a character such as / or @ of the user, the password or the name is not written as %2F or %40"
      )
    }
    return values
  }

  /// The part that libpq takes for the user with the password, and the rest.
  private static func credentials(of text: String) -> (user: Substring.UTF8View, rest: Substring.UTF8View) {
    let bytes = text[(text.firstRange(of: "://")?.upperBound ?? text.startIndex)...].utf8
    guard let end = bytes.firstIndex(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "/") }),
      bytes[end] == UInt8(ascii: "@")
    else { return (bytes.prefix(0), bytes) }
    return (bytes[..<end], bytes[bytes.index(after: end)...])
  }

  /// The password as the address spells it.
  private static func spelledPassword(of text: String) -> String {
    let user = credentials(of: text).user
    return String(decoding: user.drop { $0 != UInt8(ascii: ":") }.dropFirst(), as: UTF8.self)
  }

  private static func base(_ value: (String) -> String?) -> String {
    func encoded(_ text: Substring) -> String { URLEncodedForm.percentEncode(String(text)) }
    let hosts = (value("host") ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let ports = (value("port") ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let servers = hosts.indices.map { index in
      let host = hosts[index].contains(":") ? "[\(hosts[index])]" : encoded(hosts[index])
      let port = ports.count == 1 ? ports[0] : ports.indices.contains(index) ? ports[index] : ""
      return port.isEmpty ? host : "\(host):\(port)"
    }
    let user = value("user").map { "\(encoded($0[...]))@" } ?? ""
    let name = value("dbname").map { "/\(encoded($0[...]))" } ?? ""
    return "postgresql://\(user)\(servers.joined(separator: ","))\(name)"
  }

  private static func bad(_ shown: String, _ reason: String) -> AddressError {
    AddressError(
      .badAddress, "\(shown) is not the address of a PostgreSQL database: \(reason)",
      hint: "expected postgresql://USER@HOST/NAME, with the password in the file of PGPASSFILE (by default ~/.pgpass)",
      details: ["place": shown])
  }

  /// The files of passwords: that of PGPASSFILE, or `~/.pgpass`.
  package static var passwordFiles: [String] {
    [variable("PGPASSFILE") ?? variable("HOME").map { "\($0)/.pgpass" }].compactMap(\.self)
  }

  /// The advice about a password that is missing.
  package var adviceOnPassword: String {
    if let passwordFile, let status = FileSystem.status(of: passwordFile), status.st_mode & 0o077 != 0 {
      let mode = String(status.st_mode & 0o777, radix: 8)
      return "libpq ignores \(passwordFile), because others may read it (mode 0\(mode)): chmod 600 '\(passwordFile)'"
    }
    return
      "write the password into the file \(passwordFile ?? "of PGPASSFILE") (mode 0600): HOST:PORT:NAME:USER:PASSWORD"
  }

  static func variable(_ name: String) -> String? {
    getenv(name).map { String(path: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Keeps the password of an address out of all output. Returns true if it has one.
  package static func hidePassword(of text: String) -> Bool { (try? PostgresAddress(text))?.hasPassword == true }

  /// The text without secrets, if it is an address; any other text as it is.
  package static func withoutPassword(_ text: String) -> String {
    isOne(text) ? (try? PostgresAddress(text))?.withoutSecrets ?? hidden : text
  }

  private static let library = LazyLibrary("libpq", package: "libpq5", cpq_load)
}
