import CCurlShims
import HostLoop

/// One exchange on one libcurl handle, used again and again: unchanged settings are not set anew.
@HostActor
final class Transfer {
  let easy: UnsafeMutableRawPointer
  private(set) var isReusable: Bool
  private var keepsConnection = false
  let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  private let multi: CurlMulti
  let jar: CookieJar?

  var settings = TransferSettings()
  var answer = TransferAnswer()
  /// Takes the body in the answer's place.
  var onBody: (@HostActor @Sendable (UnsafeRawBufferPointer) -> Bool)?
  private(set) var wasBodyRefused = false
  /// Called with the progress, and the last one that it was called with.
  var onProgress: (@HostActor @Sendable (HTTPProgress) -> Void)?
  private var progress = HTTPProgress()
  /// The number of times that the request was about to be sent: more than one when libcurl wants to send it again.
  var attempts = 0
  var mayBeRepeated = true
  /// The reason why the request was not sent, or not again.
  var refusal: Refusal?
  var measure: ExchangeMeasure?

  private var wait = CancellableWait<CURLcode>()

  init(multi: CurlMulti, jar: CookieJar?) throws(HTTPError) {
    guard let easy = ccurl_easy_init() else { throw HTTPError(.transfer, "there is no memory for a network transfer") }
    self.easy = easy
    self.multi = multi
    self.jar = jar
    isReusable = jar == nil
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    setUp()
    if let jar {
      let share = try jar.handle()
      try demand(ccurl_set_pointer(easy, CURLOPT_SHARE, share))
      // An empty name turns the cookie engine on.
      try demand(ccurl_set_string(easy, CURLOPT_COOKIEFILE, ""))
    }
  }

  isolated deinit {
    ccurl_easy_cleanup(easy)
    ccurl_slist_free(settings.list)
    errorText.deallocate()
  }

  static func of(_ easy: UnsafeMutableRawPointer) -> Transfer? {
    ccurl_info_pointer(easy).map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Nil if the task was canceled.
  func run() async -> CURLcode? {
    wait = CancellableWait()
    guard multi.add(easy) else { return CURLE_FAILED_INIT }
    do { return try await wait.value() } catch {
      multi.remove(easy)
      return nil
    }
  }

  func ended(_ code: CURLcode) {
    // A kept connection belongs to its handle as long as libcurl has the handle.
    if !keepsConnection || code != CURLE_OK { multi.remove(easy) }
    wait.finish(.success(code))
  }

  /// Throws if libcurl refuses an option, for example a text of more than 8 MB. The handle still has the option of an
  /// earlier request then, and is not used again.
  func demand(_ code: CURLcode) throws(HTTPError) {
    guard code != CURLE_OK else { return }
    isReusable = false
    throw HTTPError(.transfer, "libcurl refuses a part of the request (\(String(cString: ccurl_easy_strerror(code))))")
  }

  /// Makes the transfer one that only connects: after `run` its connection is there for `send` and `receive`.
  func connectOnly() {
    keepsConnection = true
    isReusable = false
    _ = ccurl_set_long(easy, CURLOPT_CONNECT_ONLY, 1)
  }

  func disconnect() { multi.remove(easy) }

  func response(from url: String) -> HTTPResponse {
    HTTPResponse(
      status: ccurl_info_long(easy, CURLINFO_RESPONSE_CODE), headers: answer.headers(), body: answer.takeBody(),
      url: url, address: address)
  }

  /// The numeric address of the server; nil if a proxy knows it.
  private var address: String? {
    if settings.isDirect || !Self.hasProxy {
      return ccurl_info_string(easy, CURLINFO_PRIMARY_IP).map { String(cString: $0) }
    }
    return settings.origin.flatMap { PrivateAddress.contains($0.host) ? $0.host : nil }
  }

  /// One line of a head. False ends the transfer.
  func receive(line: UnsafeRawBufferPointer) -> Bool {
    if let jar, let notice = CookieNotice(line: line) { jar.notices.append(notice) }
    if let measure, measure.answered == 0 { measure.answered = HostLoop.uptime }
    return answer.appendLine(line)
  }

  /// One piece of the body. False ends the transfer.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let onBody, ccurl_info_long(easy, CURLINFO_RESPONSE_CODE) == 200 else { return answer.appendBody(bytes) }
    wasBodyRefused = !onBody(bytes)
    return !wasBodyRefused
  }

  /// libcurl calls this all the time, also without progress.
  func advanced(to progress: HTTPProgress) {
    guard progress != self.progress else { return }
    self.progress = progress
    onProgress?(progress)
  }

  func fillMeasure() {
    guard let measure else { return }
    /// Microseconds since the transfer began; 0 if it did not come to that.
    func time(_ info: CURLINFO) -> Int { ccurl_info_large(easy, info) }
    measure.isReused = measure.begun > 0 && ccurl_info_long(easy, CURLINFO_NUM_CONNECTS) == 0
    let (lookup, connect) = (time(CURLINFO_NAMELOOKUP_TIME_T), time(CURLINFO_CONNECT_TIME_T))
    if connect > 0, !measure.isReused {
      measure.phases.lookup = lookup
      measure.phases.connect = max(0, connect - lookup)
      let tls = time(CURLINFO_APPCONNECT_TIME_T)
      if tls > 0 { measure.phases.tls = max(0, tls - connect) }
    }
    measure.fillPhases()
    measure.address = ccurl_info_string(easy, CURLINFO_PRIMARY_IP).map { String(cString: $0) } ?? ""
    measure.port = ccurl_info_long(easy, CURLINFO_PRIMARY_PORT)
    let versions = [
      CURL_HTTP_VERSION_1_0: "1.0", CURL_HTTP_VERSION_1_1: "1.1", CURL_HTTP_VERSION_2_0: "2", CURL_HTTP_VERSION_3: "3",
    ]
    measure.version = versions[ccurl_info_long(easy, CURLINFO_HTTP_VERSION)] ?? ""
  }

  func clear() {
    // libcurl 7.88 counts repetitions over all requests of a handle, and gives up at the sixth.
    if attempts > 1 { isReusable = false }
    attempts = 0
    refusal = nil
    answer.clear()
    onBody = nil
    onProgress = nil
    measure = nil
    progress = HTTPProgress()
    wasBodyRefused = false
    errorText[0] = 0
    if settings.hasBody {
      _ = ccurl_set_pointer(easy, CURLOPT_POSTFIELDS, nil)
      settings.hasBody = false
    }
  }
}

/// The settings of a libcurl handle, kept to set only those that change and cost something.
struct TransferSettings {
  var url = ""
  var origin: Origin?
  // A fresh handle sends a GET.
  var method = "GET"
  var methodHasBody = false
  var headers: HTTPHeaders = [:]
  var addedHeaders: [String] = []
  /// The header fields as libcurl has them; freed by the transfer.
  var list: UnsafeMutablePointer<curl_slist>?
  var userAgent: String?
  var trust: Trust?
  var certificate: ClientCertificate?
  var hasBody = false
  var addresses = AddressRule.anywhere

  /// True if a proxy of the environment is not used.
  var isDirect: Bool { origin.map { $0.isLoopback || NoProxy.current.contains($0) } ?? false }
}

enum Refusal {
  case repetition
  case privateAddress(String)
}

struct TransferAnswer {
  private(set) var head: [UInt8] = []
  private(set) var body: [UInt8] = []
  /// The part of the answer that is larger than it may be.
  private(set) var excess: Excess?
  var maximumBodySize = 0
  private var isHeadComplete = false
  private var fieldCount = 0

  enum Excess { case head, body }

  mutating func clear() {
    head.removeAll(keepingCapacity: true)
    body = []
    excess = nil
    isHeadComplete = false
    fieldCount = 0
  }

  mutating func takeBody() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &body)
    return taken
  }

  /// One line of a head; libcurl brings whole lines. False ends the transfer.
  mutating func appendLine(_ line: UnsafeRawBufferPointer) -> Bool {
    // Each answer's head begins with a status line: informational ones (RFC 9110, 15.2) go before the final one.
    if line.starts(with: "HTTP/".utf8) {
      head.removeAll(keepingCapacity: true)
      isHeadComplete = false
      fieldCount = 0
      return true
    }
    // Nobody asked for trailer fields, which follow the head.
    if isHeadComplete { return true }
    if line.count <= 2, line.allSatisfy({ $0 == 0x0d || $0 == 0x0a }) {
      isHeadComplete = true
      return true
    }
    fieldCount += 1
    guard head.count + line.count <= HTTPHeaders.mostBytes, fieldCount <= HTTPHeaders.most else {
      excess = .head
      return false
    }
    head.append(contentsOf: line)
    return true
  }

  /// One piece of the body. False ends the transfer.
  mutating func appendBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= maximumBodySize else {
      excess = .body
      return false
    }
    if body.isEmpty { reserveBody() }
    body.append(contentsOf: bytes)
    return true
  }

  /// So that a long body is not moved time and again. Memory that is never written to costs nothing.
  private mutating func reserveBody() {
    guard head.count < 1 << 14, let length = headers()["Content-Length"].flatMap({ Int($0) }), length > 1 << 16
    else { return }
    // One byte more, for callers that put a NUL behind the body.
    body.reserveCapacity(min(length, maximumBodySize) + 1)
  }

  func headers() -> HTTPHeaders { HTTPHeaders(lines: head) }
}
