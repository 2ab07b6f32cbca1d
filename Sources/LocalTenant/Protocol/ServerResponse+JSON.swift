import HTTPServer
import JSON

extension ServerResponse {
  static func json(_ status: Int, _ body: JSON, headers: [(String, String)] = []) -> ServerResponse {
    ServerResponse(status: status, headers: headers, text: body.encoded(), type: "application/json; charset=utf-8")
  }

  /// An error as JSON, with its code and message.
  static func error(
    _ status: Int, _ code: String, _ message: String, headers: [(String, String)] = []
  ) -> ServerResponse {
    .json(status, ["code": .string(code), "message": .string(message)], headers: headers)
  }
}
