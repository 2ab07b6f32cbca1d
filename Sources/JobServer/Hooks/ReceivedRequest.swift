import HTTPServer
import JSON
import Jobs

/// A request to the receiver of webhooks, and how it was answered.
struct ReceivedRequest {
  /// Milliseconds since 1970.
  let time: Int64
  let method: String
  let path: String
  let status: Int
  /// The sentence that the sender got.
  let answer: String

  init(_ request: ServerRequest, _ response: ServerResponse, at time: Int64) {
    self.time = time
    method = String(request.method.prefix(16))
    path = String(request.path.prefix(200))
    status = response.status
    let isText = response.headers.contains { $0.0 == "Content-Type" && $0.1.hasPrefix("text/plain") }
    answer = isText ? String(String(decoding: response.body, as: UTF8.self).prefix { $0 != "\n" }) : ""
  }

  var json: JSON {
    [
      "time": .instant(time), "method": .string(method), "path": .string(path), "status": .integer(Int64(status)),
      "answer": .string(answer),
    ]
  }
}
