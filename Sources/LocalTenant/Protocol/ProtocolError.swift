import JOSE

/// An error in the words of RFC 6749 and of B2C.
struct ProtocolError: Error {
  /// `invalid_request`, `invalid_grant`, …
  let error: String
  /// `AADB2C90080`; nil where B2C's list has none for it.
  let code: String?
  let text: String
  var status = 400

  init(_ error: String, _ code: String?, _ text: String, status: Int = 400) {
    self.error = error
    self.code = code.map { "AADB2C\($0)" }
    self.text = text
    self.status = status
  }

  /// B2C's three lines: the error, and by what its log could be searched.
  func description(_ clock: TenantClock) -> String {
    "\(code.map { "\($0): " } ?? "")\(text)\r\nCorrelation ID: \(GUID.random())\r\nTimestamp: \(clock.timestamp)\r\n"
  }

  static func missing(_ parameter: String) -> ProtocolError {
    ProtocolError("invalid_request", "90083", "The request is missing required parameter: \(parameter).")
  }
}
