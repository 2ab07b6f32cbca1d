import HTTPServer
import JSON

/// Another origin than the local tenant's. It answers with the request it got, as JSON.
struct EchoServer {
  private let server: HTTPServer

  var url: String { "http://127.0.0.1:\(server.port)" }

  func stop() { server.stop() }

  init() throws {
    server = try HTTPServer { request in
      let json = JSON.object([
        "method": .string(request.method), "target": .string(request.target),
        "headers": .object(
          Dictionary(
            request.headers.map { ($0.0.lowercased(), .string($0.1)) }, uniquingKeysWith: { first, _ in first })),
        "body": .string(String(decoding: request.body, as: UTF8.self)),
      ])
      return ServerResponse(
        status: 200, headers: [("Content-Type", "application/json")], body: Array(json.encoded().utf8))
    }
  }
}
