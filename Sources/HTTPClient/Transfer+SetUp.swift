import CCurlShims
import Core
import Glibc
import HostLoop

extension Transfer {
  func setUp() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = ccurl_set_pointer(easy, CURLOPT_PRIVATE, context)
    _ = ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    // The program has its own handling of signals.
    _ = ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    _ = ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    // Redirects are followed by HTTPClient, which knows what may go along.
    _ = ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
    _ = ccurl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    _ = ccurl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
    _ = ccurl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
    // Releases of libcurl read NO_PROXY in different ways, so that the program reads it.
    _ = ccurl_set_string(easy, CURLOPT_NOPROXY, "")
    _ = ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    _ = ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
    _ = ccurl_set_pointer(easy, CURLOPT_PREREQDATA, context)
    _ = ccurl_set_pointer(easy, CURLOPT_XFERINFODATA, context)

    _ = ccurl_set_write(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
      Transfer.with(context) { $0.receive(UnsafeRawBufferPointer(start: bytes, count: count)) } ? count : 0
    }
    _ = ccurl_set_write(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      let count = size * count
      return Transfer.with(context) { $0.receive(line: UnsafeRawBufferPointer(start: bytes, count: count)) } ? count : 0
    }
    _ = ccurl_set_progress(easy) { context, toReceive, received, toSend, sent in
      Transfer.with(context) {
        $0.advanced(
          to: HTTPProgress(sent: sent, toSend: toSend, received: received, toReceive: toReceive > 0 ? toReceive : nil))
        return true
      } ? 0 : 1
    }
    _ = ccurl_set_debug(
      easy,
      { _, type, bytes, count, context in
        let head = UnsafeRawBufferPointer(start: bytes, count: count)
        if type == CURLINFO_TEXT, let notice = CookieNotice(head) {
          return Transfer.with(context) {
            $0.jar?.notices.append(notice)
            return true
          } ? 0 : 1
        }
        guard type == CURLINFO_HEADER_OUT else { return 0 }
        // If a request is sent again, its last head stays.
        return Transfer.with(context) {
          $0.measure?.sentHead = Array(head)
          return true
        } ? 0 : 1
      }, context)
    // libcurl sends a request again on its own when a connection used before dies without an answer, although the server
    // may have acted on it. It asks here each time before it sends.
    _ = ccurl_set_before_request(easy) { context, _, _, _, _ in
      Transfer.with(context) { $0.mayBeSent() } ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
  }

  private func mayBeSent() -> Bool {
    attempts += 1
    measure?.begun = HostLoop.uptime
    if attempts > 1, !mayBeRepeated {
      refusal = .repetition
      return false
    }
    if let address = ccurl_info_string(easy, CURLINFO_PRIMARY_IP), !settings.addresses.admits(String(cString: address))
    {
      refusal = .privateAddress(String(cString: address))
      return false
    }
    return true
  }

  /// True if the environment names a proxy, whose address is the one that libcurl connects to.
  static var hasProxy: Bool {
    let names: [String] = ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]
    return names.contains { name in getenv(name).map { $0[0] != 0 } ?? false }
  }

  /// Called back by libcurl, on the loop's thread.
  private nonisolated static func with(
    _ context: UnsafeMutableRawPointer?, _ action: @escaping @HostActor (Transfer) -> Bool
  ) -> Bool {
    guard let context else { return false }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    return HostActor.assumeIsolated { action(transfer) }
  }

  /// - Parameter timeout: the seconds that are left of the request's own.
  func prepare(
    _ request: HTTPRequest, timeout: Double, configuration: HTTPClientConfiguration, measure: ExchangeMeasure? = nil
  ) throws(HTTPError) {
    try setAddress(request.url)
    if let origin = settings.origin, !request.addresses.admits(origin) { throw .privateAddress(request, origin.host) }
    settings.addresses = settings.isDirect || !Self.hasProxy ? request.addresses : .anywhere
    mayBeRepeated = Self.repeatable.contains(request.method)
    setVersion(usesHTTP2: mayBeRepeated && settings.origin?.scheme == "https")
    try setMethod(request)
    try setHeaders(request)
    if configuration.userAgent != settings.userAgent {
      try demand(ccurl_set_string(easy, CURLOPT_USERAGENT, configuration.userAgent))
      settings.userAgent = configuration.userAgent
    }
    if configuration.trust != settings.trust { try set(configuration.trust) }
    try setCertificate(request.certificate)
    onBody = request.onBody
    onProgress = request.onProgress
    try demand(ccurl_set_long(easy, CURLOPT_NOPROGRESS, onProgress == nil ? 1 : 0))
    self.measure = measure
    // Has libcurl show the head that it sends, and tell which cookies it leaves out.
    try demand(ccurl_set_long(easy, CURLOPT_VERBOSE, measure == nil && request.cookies == nil ? 0 : 1))
    try setTimeout(timeout, isForSilence: onBody != nil)
    answer.maximumBodySize = request.maximumBodySize
  }

  private func set(_ trust: Trust) throws(HTTPError) {
    let old = settings.trust
    settings.trust = nil
    // An option that is never set stays as libcurl was built: the file and the folder of the system.
    if trust.file != old?.file { try demand(ccurl_set_string(easy, CURLOPT_CAINFO, trust.file)) }
    if trust.folder != old?.folder { try demand(ccurl_set_string(easy, CURLOPT_CAPATH, trust.folder)) }
    settings.trust = trust
  }

  /// libcurl takes a connection again only for a request with the same certificate.
  private func setCertificate(_ certificate: ClientCertificate?) throws(HTTPError) {
    guard certificate != settings.certificate else { return }
    let key = certificate.map { Array($0.key.reveal().utf8) } ?? []
    try demand(ccurl_set_blob(easy, CURLOPT_SSLCERT_BLOB, certificate?.chain, certificate?.chain.count ?? 0))
    try demand(ccurl_set_blob(easy, CURLOPT_SSLKEY_BLOB, certificate == nil ? nil : key, key.count))
    settings.certificate = certificate
  }

  func setConnectsAnew(_ connectsAnew: Bool) throws(HTTPError) {
    try demand(ccurl_set_long(easy, CURLOPT_FRESH_CONNECT, connectsAnew ? 1 : 0))
  }

  /// - Parameter isForSilence: limits the time in which nothing comes, not the whole exchange.
  private func setTimeout(_ timeout: Double, isForSilence: Bool) throws(HTTPError) {
    // Zero would mean no limit; of more than 32 bits libcurl drops the upper ones.
    let milliseconds = timeout.isFinite ? max(1, min(timeout * 1000, Double(Int32.max))) : 0
    try demand(ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, isForSilence ? 0 : Int(milliseconds)))
    // libcurl takes whole seconds here, and zero for the time to connect as its own limit.
    let seconds = isForSilence ? (milliseconds / 1000).rounded(.up) : 0
    try demand(ccurl_set_long(easy, CURLOPT_LOW_SPEED_LIMIT, isForSilence ? 1 : 0))
    try demand(ccurl_set_long(easy, CURLOPT_LOW_SPEED_TIME, Int(seconds)))
    try demand(ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, isForSilence ? Int(milliseconds) : 0))
  }

  /// The methods that change nothing (RFC 9110, 9.2.1). libcurl may send them again on a new connection.
  private static let repeatable: Set<String> = ["GET", "HEAD", "OPTIONS"]

  private func setAddress(_ url: String) throws(HTTPError) {
    guard url != settings.url || settings.origin == nil else { return }
    settings.origin = nil
    guard let origin = Origin(url), let address = CurlURL(url)?.text else { throw HTTPError.invalidURL(url) }
    try demand(ccurl_set_string(easy, CURLOPT_URL, address))
    // An empty name is no proxy; nil takes the one that the environment names.
    let isDirect = origin.isLoopback || NoProxy.current.contains(origin)
    try demand(ccurl_set_string(easy, CURLOPT_PROXY, isDirect ? "" : nil))
    settings.url = url
    settings.origin = origin
  }

  /// Uses HTTP/2, if TLS offers it, for requests that may be repeated. Its servers end a connection with requests under
  /// way, which they have not acted on and expect again (RFC 9113, 6.8). libcurl does not say which these are, so that a
  /// request sent once would have to fail. In HTTP/1.1 a server announces the end with an answer.
  private func setVersion(usesHTTP2: Bool) {
    // A libcurl without HTTP/2 refuses this value and continues with HTTP/1.1.
    _ = ccurl_set_long(easy, CURLOPT_HTTP_VERSION, usesHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
    // Wait for a connection being made to see whether it takes many requests at once.
    _ = ccurl_set_long(easy, CURLOPT_PIPEWAIT, usesHTTP2 ? 1 : 0)
  }

  private func setMethod(_ request: HTTPRequest) throws(HTTPError) {
    // A method that usually has a body announces an empty one (RFC 9110, 8.6).
    let hasBody = request.body != nil || ["POST", "PUT", "PATCH"].contains(request.method)
    if request.method != settings.method || hasBody != settings.methodHasBody {
      try RequestCheck.method(request.method)
      try demand(ccurl_set_long(easy, CURLOPT_NOBODY, 0))
      try demand(ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, nil))
      try demand(ccurl_set_long(easy, hasBody ? CURLOPT_POST : CURLOPT_HTTPGET, 1))
      switch request.method {
      case "GET" where !hasBody, "POST": break
      case "HEAD" where !hasBody: try demand(ccurl_set_long(easy, CURLOPT_NOBODY, 1))
      default: try demand(ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method))
      }
      settings.method = request.method
      settings.methodHasBody = hasBody
    }
    guard hasBody else { return }
    settings.hasBody = true
    let body = request.body ?? []
    try demand(ccurl_set_large(easy, CURLOPT_POSTFIELDSIZE_LARGE, body.count))
    let code = body.withUnsafeBytes { ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? Self.nothing) }
    try demand(code)
  }

  /// The address of no bytes: a null pointer would make libcurl ask for the body.
  private static let nothing = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

  private func setHeaders(_ request: HTTPRequest) throws(HTTPError) {
    // A name without a value keeps libcurl from adding the field itself: it takes a body for a form, and waits a second
    // for leave to send a large one.
    let added = settings.methodHasBody && request.headers["Content-Type"] == nil
    var addedHeaders = added ? ["Content-Type:"] : []
    if let body = request.body, body.count > 1 << 20, request.headers["Expect"] == nil {
      addedHeaders.append("Expect:")
    }
    guard request.headers != settings.headers || addedHeaders != settings.addedHeaders else { return }
    try RequestCheck.headers(request.headers)
    var list: UnsafeMutablePointer<curl_slist>?
    for field in request.headers.fields {
      // libcurl's way to write an empty value.
      list = ccurl_slist_append(list, field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    for line in addedHeaders { list = ccurl_slist_append(list, line) }
    try demand(ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, list))
    ccurl_slist_free(settings.list)
    settings.list = list
    settings.headers = request.headers
    settings.addedHeaders = addedHeaders
  }
}
