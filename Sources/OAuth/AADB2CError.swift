/// The parts of an `error_description` of Azure AD B2C.
package struct AADB2CError: Sendable, Equatable {
  /// `AADB2C90118`; also `AADSTS…`, which the same sign-in service uses.
  package var code: String
  /// B2C's own sentence, on one line, without a period at its end.
  package var message: String
  package var correlationID: String?
  /// As B2C writes it: `2019-09-17 09:50:39Z`.
  package var timestamp: String?
  /// Advice for a person, for codes that this program knows.
  package var hint: String? { AADB2CCode.known[code]?.hint }
  package var isRetryable: Bool { AADB2CCode.known[code]?.isRetryable ?? false }

  /// Advice for a person about a code, such as `AADB2C90006`; nil for a code that this program does not know.
  package static func hint(for code: String) -> String? { AADB2CCode.known[code]?.hint }

  /// The meaning of a code; nil for a code that this program does not know.
  package static func meaning(of code: String) -> String? { AADB2CCode.known[code]?.meaning }

  /// Nil when the text does not begin with a code of B2C.
  /// - Parameter description: percent-decoded lines: the sentence, `Correlation ID: …`, `Timestamp: …`.
  package static func parse(_ description: String) -> AADB2CError? {
    let text = description.drop { $0.isWhitespace }
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let code = String(text[..<colon])
    guard let prefix = ["AADB2C", "AADSTS"].first(where: code.hasPrefix), !code.dropFirst(prefix.count).isEmpty,
      code.dropFirst(prefix.count).allSatisfy({ "0"..."9" ~= $0 })
    else { return nil }
    let rest = String(text[text.index(after: colon)...])
    var sentence: [Substring] = []
    var result = AADB2CError(code: code, message: "")
    for line in rest.split(whereSeparator: \.isNewline) {
      if let value = line.value(after: "Correlation ID:") {
        result.correlationID = value
      } else if let value = line.value(after: "Timestamp:") {
        result.timestamp = value
      } else {
        sentence.append(line)
      }
    }
    result.message = sentence.joined(separator: "\n").trimmedLines
    if result.message.isEmpty { result.message = meaning(of: code) ?? "Azure AD B2C gave no reason" }
    return result
  }
}

extension Substring {
  fileprivate func value(after label: String) -> String? {
    let line = drop { $0.isWhitespace }
    guard line.lowercased().hasPrefix(label.lowercased()) else { return nil }
    return String(line.dropFirst(label.count)).trimmedLines
  }
}
