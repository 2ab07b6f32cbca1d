import CCurlShims
import Core

/// An address split by libcurl's own parser, so that the checked host is the host that is connected to.
struct CurlURL: ~Copyable {
  private let handle: OpaquePointer

  /// The host as it was written, if it has letters beyond ASCII; `host` and `text` have it encoded.
  let writtenHost: String?

  /// Parses an absolute address of any scheme; nil for another text, or without libcurl.
  init?(_ text: String) {
    guard CurlLibrary.library.isLoaded, let handle = ccurl_url_init() else { return nil }
    guard Self.set(handle, CURLUPART_URL, text), case (true, let written) = Self.encodeHost(of: handle) else {
      ccurl_url_cleanup(handle)
      return nil
    }
    self.handle = handle
    writtenHost = written
  }

  /// Writes the host in ASCII. Returns the host as it was, if it had other letters.
  private static func encodeHost(of handle: OpaquePointer) -> (isDone: Bool, written: String?) {
    guard let host = read(handle, CURLUPART_HOST), host.utf8.contains(where: { $0 >= 0x80 }) else { return (true, nil) }
    guard let encoded = HostEncoding.ascii(host) else { return (false, nil) }
    return (set(handle, CURLUPART_HOST, encoded), host)
  }

  deinit { ccurl_url_cleanup(handle) }

  /// Replaces the address by a reference relative to it (RFC 3986, 5.2).
  mutating func resolve(_ reference: String) -> Bool { Self.set(handle, CURLUPART_URL, reference) }

  /// Replaces the part behind `#`; nil removes it.
  mutating func setFragment(_ fragment: String?) { _ = Self.set(handle, CURLUPART_FRAGMENT, fragment) }

  var scheme: String? { read(CURLUPART_SCHEME) }
  var host: String? { read(CURLUPART_HOST) }
  /// The given port, else that of the scheme.
  var port: UInt16? { read(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap { UInt16($0) } }
  /// Begins with a slash.
  var path: String? { read(CURLUPART_PATH) }
  var query: String? { read(CURLUPART_QUERY) }
  var hasCredentials: Bool { read(CURLUPART_USER) != nil || read(CURLUPART_PASSWORD) != nil }
  var text: String? { read(CURLUPART_URL) }

  private static func set(_ handle: OpaquePointer, _ part: CURLUPart, _ text: String?) -> Bool {
    // URLENCODE: bytes that may not stand in an address, such as letters beyond ASCII, are percent-encoded.
    ccurl_url_set(handle, part, text, UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)) == CURLUE_OK
  }

  private func read(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? { Self.read(handle, part, flags) }

  private static func read(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
    guard let text = ccurl_url_get(handle, part, flags | UInt32(CURLU_NON_SUPPORT_SCHEME)) else { return nil }
    defer { ccurl_free(text) }
    return String(cString: text)
  }
}

/// Resolves `reference` (a `Location` field, a link, a form's action) against `base` (RFC 3986, section 5). An absolute
/// one stays, whatever its scheme (`com.example.app://signed-in?code=…`). Nil if either is no address.
package func resolve(reference: String, against base: String) -> String? {
  if let scheme = scheme(of: reference), scheme != "http", scheme != "https" { return reference }
  guard var url = CurlURL(base) else { return nil }
  switch reference.first {
  // libcurl 7.88 resolves neither of these two to the address itself.
  case nil: url.setFragment(nil)
  case "#": url.setFragment(String(reference.dropFirst()))
  default: guard url.resolve(reference) else { return nil }
  }
  return url.text
}

/// The scheme an absolute address starts with, in lower case.
private func scheme(of reference: String) -> String? {
  guard let colon = reference.firstIndex(of: ":"), colon != reference.startIndex else { return nil }
  let scheme = reference[..<colon].lowercased()
  let isScheme = scheme.utf8.enumerated().allSatisfy { index, byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): index > 0
    default: false
    }
  }
  return isScheme ? scheme : nil
}
