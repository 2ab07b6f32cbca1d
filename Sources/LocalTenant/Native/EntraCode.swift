/// Microsoft Entra's numbers for the errors that have another code at Azure AD B2C.
enum EntraCode {
  /// The number without `AADSTS`; nil for errors without a number here.
  static func number(_ error: ProtocolError) -> Int? {
    error.entraNumber ?? error.code.flatMap { numbers[$0] }
  }

  /// Entra's description: the error, then IDs and the time, each on a line.
  static func description(
    _ text: String, _ number: Int?, trace: String, correlation: String, _ clock: TenantClock
  ) -> String {
    "\(number.map { "AADSTS\($0): " } ?? "")\(text)\r\nTrace ID: \(trace)\r\nCorrelation ID: \(correlation)\r\n"
      + "Timestamp: \(clock.timestamp)"
  }

  private static let numbers = [
    "AADB2C90006": 50_011, "AADB2C90008": 900_144, "AADB2C90010": 900_144, "AADB2C90012": 70_011,
    "AADB2C90013": 70_005, "AADB2C90018": 700_016, "AADB2C90055": 70_011, "AADB2C90057": 700_054,
    "AADB2C90077": 50_058, "AADB2C90079": 7_000_218, "AADB2C90080": 70_008, "AADB2C90081": 7_000_215,
    "AADB2C90083": 900_144, "AADB2C90084": 700_025, "AADB2C90086": 70_003, "AADB2C90091": 65_004,
    "AADB2C90114": 50_053, "AADB2C90117": 70_011, "AADB2C90129": 50_173, "AADB2C90146": 28_000,
    "AADB2C90182": 501_481, "AADB2C90183": 501_481, "AADB2C90225": 50_126, "AADB2C90205": 65_001,
    "AADB2C90287": 50_011,
  ]
}
