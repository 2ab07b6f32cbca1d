import Core
import DatabaseAddress

/// The reason that libpq gives for a connection that was not made. libpq has no code for it. Its own texts are always in
/// English; those of the server are in the server's language, and say whatever the server likes: of these, only the
/// SQLSTATE counts.
struct PostgresRefusal {
  /// The reason as one line.
  let reason: String
  /// The code of the server's last refusal.
  let sqlState: String?
  /// True if the server has said something.
  private let isServers: Bool

  /// - Parameter text: lines such as `connection to server at "host" failed: FATAL:  28P01: no`.
  init(_ text: String) {
    var lines: [String] = []
    var state: String?
    for line in text.split(separator: "\n") where !line.hasPrefix("LOCATION:") {
      var line = line.trimmingPrefix { $0.isWhitespace }
      if let code = line.firstMatch(of: #/:  (?<state>[0-9A-Z]{5}): /#) {
        state = String(code.state)
        line.replaceSubrange(code.range, with: ":  ")
      }
      let shown = String(line).displayable
      // libpq tries with and without TLS, and may fail twice for one reason.
      if !lines.contains(shown) { lines.append(shown) }
    }
    reason = lines.joined(separator: "; ").clipped(to: 1000)
    sqlState = state
    // libpq writes two spaces between a server's severity and text, and nowhere else.
    isServers = text.contains(":  ")
  }

  /// The kind of the error, and the way out.
  func meaning(_ address: PostgresAddress) -> (PostgresError.Kind, String?) {
    // A violation of the protocol, at the start of a session.
    if sqlState == "08P01" {
      return (
        .refused,
        "PgBouncer refuses parameters that it does not know: leave them out of the address, such as options, or name them in "
          + "ignore_startup_parameters of pgbouncer.ini"
      )
    }
    if let sqlState, let (kind, hint) = PostgresError.meaning(of: sqlState) { return (kind, hint) }
    if isServers { return (.unreachable, "see what the server logs") }
    if reason.contains("no password supplied") { return (.refused, address.adviceOnPassword) }
    for (part, kind, hint) in Self.own where reason.contains(part) { return (kind, hint) }
    return (.unreachable, "check the host and the port, and that the server runs")
  }

  /// libpq's own texts.
  private static let own: [(String, PostgresError.Kind, String?)] = [
    (
      "root certificate", .refused,
      "name the file of the authority's certificate in the address, sslrootcert=FILE, or put it at ~/.postgresql/root.crt"
    ),
    ("password", .refused, "check the password in the file of PGPASSFILE (by default ~/.pgpass)"),
    ("read-only", .readOnly, "this is a standby: give the address of the primary server, or of all servers"),
    ("hot standby", .readOnly, "this is a standby: give the address of the primary server, or of all servers"),
    ("certificate", .refused, "check sslrootcert and sslmode of the address"),
    ("SSL", .refused, "check sslmode of the address"),
    ("could not translate host name", .unreachable, "check the name of the host in the address"),
    ("service", .refused, "check the service in the file of PGSERVICEFILE (by default ~/.pg_service.conf)"),
  ]
}
