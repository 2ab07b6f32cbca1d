import Files

/// A service: the name of several parameters in a file of libpq (PostgreSQL 15, 34.17). This type reads only the port,
/// for the sandbox; libpq reads the file itself.
struct PostgresService {
  /// The files that libpq looks into, in their order.
  let files: [String]
  /// Nil if the service names none.
  let port: String?

  /// The service of that name, else of the variable PGSERVICE; nil without one.
  init?(_ name: String?) {
    guard let name = name ?? PostgresAddress.variable("PGSERVICE") else { return nil }
    let own =
      PostgresAddress.variable("PGSERVICEFILE") ?? PostgresAddress.variable("HOME").map { "\($0)/.pg_service.conf" }
    let folder = PostgresAddress.variable("PGSYSCONFDIR") ?? "/etc/postgresql-common"
    files = [own, "\(folder)/pg_service.conf"].compactMap(\.self)
    port = files.lazy.compactMap { Self.port(of: name, in: $0) }.first
  }

  private static func port(of service: String, in file: String) -> String? {
    // libpq reports a file that cannot be read.
    guard let bytes = try? FileSystem.contents(of: file, limit: 1 << 20) else { return nil }
    var isInside = false
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let text = line.filter { !$0.isWhitespace }
      if text.hasPrefix("[") { isInside = text == "[\(service)]" }
      if isInside, text.hasPrefix("port=") { return String(text.dropFirst(5)) }
    }
    return nil
  }
}
