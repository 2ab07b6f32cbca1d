import Core

/// The text that a person pasted at the end of a sign-in, made into the redirect it stands for.
struct PastedAnswer {
  let redirect: String

  init(_ line: String, to request: NavigationRequest) throws(UserAgentError) {
    let line = Self.unwrapped(line)
    var text = line.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    // Addresses are often copied out of text that quotes them.
    if let first = text.first, text.count > 1, text.last == first || (first == "<" && text.last == ">"),
      "\"'<".contains(first)
    {
      text = text.dropFirst().dropLast()
    }
    let expected = request.redirectURI ?? ""
    guard !text.isEmpty else {
      throw UserAgentError(
        .redirectMismatch,
        "nothing was pasted; expected an address that starts with \(expected)\(request.answer.takesCode ? ", or a code" : "")"
      )
    }
    // In a query "://" can only stand in a value.
    let start = text.prefix { !"?#&=".contains($0) }
    if start.contains("://") || start.lowercased().hasPrefix("urn:") {
      guard request.kind(of: String(text)) == .redirect else {
        throw UserAgentError(
          .redirectMismatch,
          "the pasted address leads to \(Address.shown(String(text))); expected one that starts with \(expected)")
      }
      guard Self.hasAnswer(WebAddress(text)) else {
        throw UserAgentError(
          .redirectMismatch, "the pasted address holds neither a code nor an error; expected \(expected)?code=…",
          hint: "copy it whole, from the address bar")
      }
      redirect = String(text)
    } else if Self.hasAnswer(WebAddress("?#".contains(text.first ?? "&") ? text : "?" + text)) {
      redirect = WebAddress(expected).appending(String(text.drop { $0 == "?" || $0 == "#" || $0 == "&" }))
    } else {
      redirect = try Self.redirect(code: text, request)
    }
    RedirectSecrets.register(redirect)
  }

  /// Without the marks of a paste, line breaks and indentation. Spaces that broke an address go, those of errors stay.
  private static func unwrapped(_ line: String) -> String {
    let bare = line.replacing("\u{1B}[200~", with: "").replacing("\u{1B}[201~", with: "")
    let lines = bare.split(whereSeparator: \.isNewline).enumerated().map { index, part in
      index == 0 ? part : part.drop { $0 == " " || $0 == "\t" }
    }
    let text = lines.joined()
    guard text.contains("code=") || text.contains("_token=") else { return text }
    return text.filter { !$0.isWhitespace }
  }

  private static func hasAnswer(_ address: WebAddress) -> Bool {
    address.parameters.contains { parameter in
      ["code", "error", "id_token", "access_token", "response"].contains(parameter.name)
        && parameter.value?.isEmpty == false
    }
  }

  /// A bare code comes without the state. It answers this very request, so the request's state belongs to it.
  private static func redirect(code: Substring, _ request: NavigationRequest) throws(UserAgentError) -> String {
    let body = code.prefix { $0 != "=" }
    let isCode =
      body.utf8.count >= 4 && code.dropFirst(body.count).allSatisfy { $0 == "=" }
      && body.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-._~+/*!".utf8.contains(byte)
        }
      }
    guard isCode else {
      throw UserAgentError(
        .redirectMismatch,
        "the pasted text is neither an address that starts with \(request.redirectURI ?? ""), nor its query, nor a code"
      )
    }
    guard request.answer.takesCode else {
      throw UserAgentError(
        .redirectMismatch,
        "the pasted text is a code alone, and the provider also names itself (iss); expected the whole address, which starts "
          + "with \(request.redirectURI ?? "")")
    }
    var fields = [("code", String(code))]
    if let state = request.answer.state { fields.append(("state", state)) }
    return WebAddress(request.redirectURI ?? "").appending(URLEncodedForm.encode(fields))
  }
}
