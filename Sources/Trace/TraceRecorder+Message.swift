import Core
import HTTPClient
import HostLoop
import JSON

/// Heads and bodies of messages.
extension TraceRecorder {
  func headers(_ headers: HTTPHeaders) -> JSON {
    .array(headers.fields.map { .array([.string($0.name), .string(headerValue($0.value, of: $0.name))]) })
  }

  private func headerValue(_ value: String, of name: String) -> String {
    switch name.lowercased() {
    case "authorization", "proxy-authorization": return authorization(value)
    case "cookie":
      return value.split(separator: ";").map { cookie(String($0)) }.joined(separator: ";")
    case "set-cookie":
      let end = value.firstIndex(of: ";") ?? value.endIndex
      return cookie(String(value[..<end])) + value[end...]
    case "location", "content-location", "referer", "origin": return redaction.url(value)
    default: return redaction.value(value, named: name)
    }
  }

  /// The scheme stays.
  private func authorization(_ value: String) -> String {
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return redaction.label(value, .credentials) }
    let isToken = ["bearer", "dpop"].contains(parts[0].lowercased())
    return "\(parts[0]) \(redaction.label(parts[1], isToken ? .accessToken : .credentials))"
  }

  /// The name stays.
  private func cookie(_ text: String) -> String {
    guard let mark = text.firstIndex(of: "=") else { return redaction.label(text, .cookie) }
    return text[...mark] + redaction.label(text[text.index(after: mark)...], .cookie)
  }

  /// - Parameters:
  ///   - type: the media type.
  ///   - size: the size of the whole body, if `bytes` are its beginning.
  func body(_ bytes: [UInt8]?, _ type: String?, _ size: Int?) -> JSON? {
    guard let bytes, !bytes.isEmpty else { return nil }
    let total = size ?? bytes.count
    var members: [String: JSON] = ["size": JSON(total)]
    members["type"] = type.map { .string($0) }
    guard bodiesLeft > 0 else {
      bodiesLeftOut += 1
      members["left_out"] = "the whole body: those before it were many"
      return .object(members)
    }
    let isCut = total > bytes.count || bytes.count > Self.largestBody
    let shown = bytes.prefix(Self.largestBody)
    bodiesLeft -= shown.count
    let media = (type ?? "").prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
    if media == "application/x-www-form-urlencoded", !isCut {
      members["form"] = redaction.fields(URLEncodedForm.decode(String(decoding: shown, as: UTF8.self)))
    } else if media.hasSuffix("json"), !isCut, let json = try? JSON(parsing: Array(shown), maximumDepth: 64) {
      members["json"] = redaction.json(json)
    } else if media == "application/jwt" {
      members["text"] = .string(redaction.label(String(decoding: shown, as: UTF8.self), .token))
    } else if Self.isText(shown) {
      members["text"] = .string(redaction.text(String(decoding: shown, as: UTF8.self)))
      if isCut { members["left_out"] = .string("what is behind \(shown.count) bytes of \(total)") }
    } else {
      members["left_out"] = "the whole body, which is no text"
    }
    return .object(members)
  }

  /// Returns true for UTF-8 without a NUL; a character at the end may be cut.
  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard !bytes.contains(0) else { return false }
    return (0...3).contains { bytes.count >= $0 && String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }
}
