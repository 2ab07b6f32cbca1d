import CMicrohttpdShims
import Glibc

/// One request and its response. libmicrohttpd calls `step` on the daemon's thread: once with the header, then with each piece
/// of the body, then without a piece, and again after a suspension.
final class Exchange {
  private let target: String
  /// The end of the target in the library's memory.
  private let targetEnd: UnsafePointer<CChar>?
  private var method = ""
  private var headers: [(String, String)] = []
  private var body: [UInt8] = []
  private var received = 0
  private var hasStarted = false
  private var answer: ServerResponse?
  private var pending: PendingResponse?
  private var whenSent: (@Sendable () -> Void)?

  init(_ target: UnsafePointer<CChar>?) {
    self.target = target.map { String(cString: $0) } ?? "/"
    targetEnd = target.map { $0 + strlen($0) }
  }

  /// The response has been sent, or its connection is gone.
  func end() { whenSent?() }

  func step(
    _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>?,
    piece: UnsafeRawBufferPointer, service: Service
  ) -> MHD_Result {
    if let pending { return queue(pending.response ?? Self.stopping, on: connection) }
    if let answer { return queue(answer, on: connection) }
    if !hasStarted {
      hasStarted = true
      self.method = String(cString: method)
      let isWhole = readHeaders(of: connection, from: method, behind: version)
      let version = version.map { String(cString: $0) } ?? ""
      if let refusal = Framing.refusal(of: headers, target: target, version: version, isWhole: isWhole) {
        return queue(refusal, on: connection)
      }
      // A too large announced length is refused at once, a body without a length at its end.
      if announcedLength > service.bodyLimit { return queue(Self.tooLarge, on: connection) }
      body.reserveCapacity(announcedLength)
      return MHD_Result.YES
    }
    if piece.isEmpty { return finish(connection, service) }
    received += piece.count
    if received <= service.bodyLimit { body.append(contentsOf: piece) }
    return received > 4 * service.bodyLimit ? MHD_Result.NO : MHD_Result.YES
  }

  private func finish(_ connection: OpaquePointer, _ service: Service) -> MHD_Result {
    service.connections.isComplete(connection)
    guard received <= service.bodyLimit else { return queue(Self.tooLarge, on: connection) }
    let certificate = service.asksForCertificates ? PeerCertificate(of: connection) : nil
    let response = service.handler(
      ServerRequest(method: method, target: target, headers: headers, body: body, certificate: certificate))
    if let pending = response.pending {
      self.pending = pending
      switch service.suspensions.suspend(connection, for: pending) {
      case .suspended: return MHD_Result.YES
      case .ready: return queue(pending.response ?? Self.stopping, on: connection)
      case .stopping: return MHD_Result.NO
      }
    }
    if response.delay > 0 {
      answer = response
      return service.suspensions.suspend(connection, seconds: response.delay) ? MHD_Result.YES : MHD_Result.NO
    }
    return queue(response, on: connection)
  }

  private var announcedLength: Int {
    headers.first { $0.0.utf8.count == 14 && $0.0.lowercased() == "content-length" }.flatMap { Int($0.1) } ?? 0
  }

  /// Returns false if a string of the library is not what was sent: a NUL ended it, or it was made of a folded line.
  private func readHeaders(
    of connection: OpaquePointer, from start: UnsafePointer<CChar>, behind version: UnsafePointer<CChar>?
  ) -> Bool {
    var reading = HeaderReading(targetEnd: targetEnd, version: version)
    withUnsafeMutablePointer(to: &reading) { reading in
      _ = cmhd_get_connection_values(
        connection, MHD_ValueKind.HEADER_KIND,
        { context, _, name, value in
          guard let context, let name, let value else { return MHD_Result.NO }
          context.assumingMemoryBound(to: HeaderReading.self).pointee.add(name, value)
          return MHD_Result.YES
        }, reading)
    }
    reading.finish(from: start, cmhd_header_size(connection))
    headers = reading.fields
    return reading.isWhole
  }

  /// The library takes a bare LF, and anything in extensions, for a part of a chunk's line (RFC 9112 §2.2, §7.1), and shows nobody
  /// these lines. A sender who sees another end of the body could have put a second request there. So no request comes after
  /// a body in chunks: the connection ends with its response.
  private var endsConnection: Bool {
    headers.contains { $0.0.utf8.count == 17 && $0.0.lowercased() == "transfer-encoding" }
  }

  private func queue(_ response: ServerResponse, on connection: OpaquePointer) -> MHD_Result {
    whenSent = response.whenSent
    let made: OpaquePointer?
    switch response.drop {
    case .beforeResponse:
      if response.isReset { TruncatedBody.reset(cmhd_socket(connection)) }
      return MHD_Result.NO
    case .midResponse:
      made = TruncatedBody(response.body, resetSocket: response.isReset ? cmhd_socket(connection) : nil).makeResponse()
    case nil:
      made = response.body.withUnsafeBytes { cmhd_create_response($0.baseAddress, $0.count) }
    }
    guard let made else { return MHD_Result.NO }
    defer { cmhd_destroy_response(made) }
    if endsConnection, !response.headers.contains(where: { $0.0 == "Connection" }),
      cmhd_add_response_header(made, "Connection", "close") != MHD_Result.YES
    {
      return MHD_Result.NO
    }
    for (name, value) in response.headers {
      guard cmhd_add_response_header(made, name, value) == MHD_Result.YES else { return MHD_Result.NO }
    }
    return cmhd_queue_response(connection, UInt32(response.status), made)
  }

  private static let stopping = ServerResponse(
    status: 503, text: "The server is stopping.\n", type: "text/plain; charset=utf-8")

  private static let tooLarge = ServerResponse(
    status: 413, text: "The request's body is larger than this server takes.\n", type: "text/plain; charset=utf-8")
}
