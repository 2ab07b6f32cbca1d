import HTTPServer
import JSON

extension ServerResponse {
  /// Returns the response to a client: the JSON, or the error that `body` throws (RFC 6749 §5).
  static func toClient(_ clock: TenantClock, _ body: () throws -> JSON) throws -> ServerResponse {
    do {
      return .json(200, try body(), headers: notStored)
    } catch let error as ProtocolError {
      return refusal(error, clock)
    }
  }

  static func refusal(_ error: ProtocolError, _ clock: TenantClock) -> ServerResponse {
    var headers = notStored
    if error.status == 401 { headers.append(("WWW-Authenticate", "Basic realm=\"\(Contoso.domain)\"")) }
    if error.status == 405 { headers.append(("Allow", "POST")) }
    let body: JSON = ["error": .string(error.error), "error_description": .string(error.description(clock))]
    return .json(error.status, body, headers: headers)
  }

  private static let notStored = [("Cache-Control", "no-store"), ("Pragma", "no-cache")]
}
