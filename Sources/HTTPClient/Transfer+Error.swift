import CCurlShims
import Glibc
import HostLoop

extension Transfer {
  func error(_ code: CURLcode, _ request: HTTPRequest) -> HTTPError {
    let wasSent = attempts > 0
    let target = request.target
    let authority = request.authority
    func failure(_ kind: HTTPError.Kind, _ message: String, hint: String? = nil) -> HTTPError {
      HTTPError(kind, message, hint: hint, mayHaveBeenReceived: wasSent)
    }
    if let excess = answer.excess { return .tooLarge(request, isHead: excess == .head) }
    if wasBodyRefused { return .canceled(request, mayHaveBeenReceived: true) }
    switch refusal {
    case .repetition?: return .lost(request, hasBegun: false)
    case .privateAddress(let address)?: return .privateAddress(request, address)
    case nil: break
    }

    switch code {
    case CURLE_UNSUPPORTED_PROTOCOL where wasSent, CURLE_WEIRD_SERVER_REPLY:
      return .notHTTP(request, mayHaveBeenReceived: wasSent)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: return .invalidURL(request.url)
    case CURLE_COULDNT_RESOLVE_HOST:
      return failure(
        .unreachable, "cannot connect to \(authority) (no such host)",
        hint: "check the name of the host, and this machine's network")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return failure(
        .unreachable, "cannot connect to \(authority): the host of its proxy is unknown", hint: Self.proxyHint)
    case CURLE_COULDNT_CONNECT where isByProxy:
      return failure(
        .unreachable, "cannot connect to \(authority) by its proxy (\(reason(code)))", hint: Self.proxyHint)
    case CURLE_COULDNT_CONNECT:
      return failure(
        .unreachable, "cannot connect to \(authority) (\(connectFailure))",
        hint: "check the address and its port, and whether the server runs")
    case CURLE_OPERATION_TIMEDOUT where request.onBody != nil && !answer.head.isEmpty: return .silence(request)
    case CURLE_OPERATION_TIMEDOUT: return .timeout(request, mayHaveBeenReceived: wasSent)
    case CURLE_GOT_NOTHING: return .lost(request, hasBegun: false)
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return wasSent
        ? .lost(request, hasBegun: true)
        : failure(.unreachable, "cannot connect to \(authority) (\(reason(code)))", hint: proxyHint(reason(code)))
    case CURLE_PEER_FAILED_VERIFICATION: return certificateError(authority)
    case CURLE_SSL_CACERT_BADFILE:
      let source = settings.trust?.fileSource ?? ""
      return failure(
        .tls, "\"\(settings.trust?.file ?? "")\" holds no certificates",
        hint: "\(source) takes a file of PEM certificates")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED,
      CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE:
      return failure(
        .tls, "\(authority) cannot be spoken to over TLS (\(reason(code)))",
        hint: settings.certificate == nil ? nil : "the server may have refused the client's certificate")
    default: return failure(.transfer, "\(target) failed (\(reason(code)))")
    }
  }

  /// True if libcurl tried to connect to another host than the request's.
  private var isByProxy: Bool {
    guard let origin = settings.origin, !origin.isLoopback, errorText[0] != 0 else { return false }
    let host = origin.host.hasPrefix("[") ? origin.host.dropFirst().dropLast() : origin.host[...]
    return !reason(CURLE_COULDNT_CONNECT).lowercased().contains(" \(host) ")
  }

  private var connectFailure: String {
    let number = Int32(ccurl_info_long(easy, CURLINFO_OS_ERRNO))
    guard number != 0 else { return "nobody listens there" }
    return String(cString: strerror(number)).lowercased()
  }

  private func reason(_ code: CURLcode) -> String {
    String(cString: errorText[0] == 0 ? ccurl_easy_strerror(code) : UnsafePointer(errorText))
  }

  private static let trustHint =
    "give the certificate of its issuer with --cacert FILE, or in a file that SSL_CERT_FILE names"
  private static let proxyHint = "HTTPS_PROXY, http_proxy and ALL_PROXY name proxies, NO_PROXY what needs none"

  private func proxyHint(_ reason: String) -> String? { reason.lowercased().contains("proxy") ? Self.proxyHint : nil }

  private func certificateError(_ authority: String) -> HTTPError {
    let text = reason(CURLE_PEER_FAILED_VERIFICATION)
    let problem = "SSL certificate problem: "
    if text.hasPrefix(problem) {
      let reason = text.dropFirst(problem.count)
      let isUntrusted = reason.contains("self-signed") || reason.contains("issuer")
      return HTTPError(
        .tls, "the certificate of \(authority) is not trusted (\(reason))",
        hint: isUntrusted ? Self.trustHint : nil)
    }
    if text.contains("subject name") { return HTTPError(.tls, "the certificate of \(authority) is for another name") }
    return HTTPError(.tls, "the certificate of \(authority) is not valid (\(text))")
  }
}
