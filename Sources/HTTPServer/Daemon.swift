import CMicrohttpdShims
import Core

final class Service: Sendable {
  let handler: @Sendable (ServerRequest) -> ServerResponse
  let bodyLimit: Int
  let asksForCertificates: Bool
  let suspensions = Suspensions()
  let connections: Connections

  init(
    bodyLimit: Int, requestTime: Double, asksForCertificates: Bool,
    handler: @escaping @Sendable (ServerRequest) -> ServerResponse
  ) {
    self.bodyLimit = bodyLimit
    self.asksForCertificates = asksForCertificates
    connections = Connections(requestTime: requestTime)
    self.handler = handler
  }
}

/// One libmicrohttpd daemon: a thread that serves one listening socket.
struct Daemon: Sendable {
  // An address instead of a pointer, because any thread may stop a daemon.
  private let address: UInt
  /// Kept alive here: the callbacks hold it unretained.
  private let service: Service

  /// Called after libmicrohttpd is loaded.
  init(
    _ descriptor: CInt, tls: TLSIdentity?, clientAuthorities: String?, service: Service
  ) throws(HTTPServerError) {
    let context = Unmanaged.passUnretained(service).toOpaque()
    guard let daemon = Self.start(descriptor, tls, clientAuthorities, service.connections.limit, context) else {
      throw HTTPServerError(
        tls == nil ? .startFailed : .tls,
        tls == nil
          ? "the HTTP server could not be started"
          : "the HTTPS server could not be started with this certificate and key",
        hint: tls == nil ? nil : "check that both are PEM and belong together")
    }
    address = UInt(bitPattern: daemon)
    self.service = service
  }

  /// Waits for the daemon's thread. Suspended connections must have been resumed.
  func stop() {
    if let daemon = OpaquePointer(bitPattern: address) { cmhd_stop_daemon(daemon) }
  }

  private static func start(
    _ descriptor: CInt, _ tls: TLSIdentity?, _ clientAuthorities: String?, _ connectionLimit: Int,
    _ context: UnsafeMutableRawPointer
  ) -> OpaquePointer? {
    var flags = MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
    if tls != nil { flags |= MHD_USE_TLS.rawValue }
    return withTLSOptions(tls, clientAuthorities) { options in
      var options = commonOptions(descriptor, connectionLimit, context) + options
      // In a later version, bare LF in chunks is an error.
      if !cmhd_reads_in_place() { options.append(cmhd_strict_option()) }
      options.append(MHD_OptionItem(option: MHD_OPTION.END, value: 0, ptr_value: nil))
      return options.withUnsafeMutableBufferPointer { options in
        guard let first = options.baseAddress else { return nil }
        return cmhd_start_daemon(flags, serve, starved, context, first)
      }
    }
  }

  private static func commonOptions(
    _ descriptor: CInt, _ connectionLimit: Int, _ context: UnsafeMutableRawPointer
  ) -> [MHD_OptionItem] {
    // libmicrohttpd decodes the target for the handler. Only this callback gets it as it was sent.
    let begin:
      @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
        UnsafeMutableRawPointer? = { _, target, _ in
          Unmanaged.passRetained(Exchange(target)).toOpaque()
        }
    let end: MHD_RequestCompletedCallback = { context, connection, slot, _ in
      if let context, let connection {
        Unmanaged<Service>.fromOpaque(context).takeUnretainedValue().connections.isIdle(connection)
      }
      guard let slot, let exchange = slot.pointee else { return }
      Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue().end()
      slot.pointee = nil
    }
    let connect: MHD_NotifyConnectionCallback = { context, connection, _, event in
      guard let context, let connection else { return }
      // The other event is the end.
      let connections = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue().connections
      if event.rawValue == 0 { connections.add(connection) } else { connections.remove(connection) }
    }
    return [
      MHD_OptionItem(
        option: MHD_OPTION.NOTIFY_CONNECTION, value: unsafeBitCast(connect, to: Int.self), ptr_value: context),
      // A few more than the limit of `Connections`, which ends others for new ones.
      MHD_OptionItem(option: MHD_OPTION.CONNECTION_LIMIT, value: connectionLimit + 8, ptr_value: nil),
      MHD_OptionItem(option: MHD_OPTION.LISTEN_SOCKET, value: Int(descriptor), ptr_value: nil),
      MHD_OptionItem(
        option: MHD_OPTION.URI_LOG_CALLBACK, value: unsafeBitCast(begin, to: Int.self), ptr_value: context),
      MHD_OptionItem(option: MHD_OPTION.NOTIFY_COMPLETED, value: unsafeBitCast(end, to: Int.self), ptr_value: context),
      MHD_OptionItem(option: MHD_OPTION.CONNECTION_MEMORY_LIMIT, value: 64 * 1024, ptr_value: nil),
      MHD_OptionItem(option: MHD_OPTION.CONNECTION_TIMEOUT, value: 300, ptr_value: nil),
    ]
  }

  private static func withTLSOptions<Result>(
    _ tls: TLSIdentity?, _ clientAuthorities: String?, _ body: ([MHD_OptionItem]) -> Result
  ) -> Result {
    guard let tls else { return body([]) }
    return tls.certificate.withCString { certificate in
      tls.key.withCString { key in
        let options = [option(MHD_OPTION.HTTPS_MEM_CERT, certificate), option(MHD_OPTION.HTTPS_MEM_KEY, key)]
        guard let clientAuthorities else { return body(options) }
        // With authorities the library asks clients for certificates, and goes on without one.
        return clientAuthorities.withCString { body(options + [option(MHD_OPTION.HTTPS_MEM_TRUST, $0)]) }
      }
    }
  }

  private static func option(_ option: MHD_OPTION, _ text: UnsafePointer<CChar>) -> MHD_OptionItem {
    MHD_OptionItem(option: option, value: 0, ptr_value: UnsafeMutableRawPointer(mutating: text))
  }
}

private func serve(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?, url: UnsafePointer<CChar>?,
  method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, upload: UnsafePointer<CChar>?,
  uploadSize: UnsafeMutablePointer<Int>?, slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let method, let uploadSize, let exchange = slot?.pointee else {
    return MHD_Result.NO
  }
  let piece = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
  uploadSize.pointee = 0
  return Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue().step(
    connection, method: method, version: version, piece: piece,
    service: Unmanaged<Service>.fromOpaque(context).takeUnretainedValue())
}

private func starved(context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<Service>.fromOpaque(context).takeUnretainedValue().connections.makeRoom()
}
