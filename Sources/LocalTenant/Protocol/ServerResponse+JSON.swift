import HTTPServer
import JSON

extension ServerResponse {
  static func json(_ status: Int, _ body: JSON, headers: [(String, String)] = []) -> ServerResponse {
    ServerResponse(status: status, headers: headers, text: body.encoded(), type: "application/json; charset=utf-8")
  }
}
