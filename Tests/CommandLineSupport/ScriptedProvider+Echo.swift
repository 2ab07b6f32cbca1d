import Foundation
package import HTTPServer
import JSON

extension ScriptedProvider {
  package var isEchoing: Bool { if case .echo = flaw { true } else { false } }

  /// Otherwise it is sent in the header field `Authorization`.
  package var sendsSecretInForm: Bool { isEchoing && flaw != .echo(.basicInHTML) && flaw != .echo(.basicInJSON) }

  /// A refusal that repeats the secrets of the request.
  package func repeated(_ request: ServerRequest, _ echo: Echo) -> ServerResponse {
    let names = ["code", "code_verifier", "password", "client_secret", "refresh_token"]
    let values = request.form.filter { names.contains($0.0) }.map(\.1)
    let spelled = values.map { Self.spell($0, echo) }.joined(separator: " | ")
    switch echo {
    case .html: return page("you sent \(spelled)")
    case .basicInHTML: return page("you are \(request.header("Authorization") ?? "nobody")")
    case .text: return ServerResponse(status: 400, text: "you sent \(spelled)", type: "text/plain")
    case .basicInJSON:
      let header = request.header("Authorization") ?? "nobody"
      let credentials = Data(base64Encoded: String(header.dropFirst("Basic ".count))) ?? Data()
      return refusal("you are \(header), that is \(String(decoding: credentials, as: UTF8.self))")
    case .jsonASCII:
      // The reader sees the escapes: the text in the string was encoded twice.
      return refusal("you sent {\"value\":\"\(spelled)\"}")
    default: return refusal("you sent \(spelled)")
    }
  }

  private func page(_ text: String) -> ServerResponse {
    ServerResponse(status: 400, text: "<title>Error</title><p>\(text)</p>", type: "text/html")
  }

  private func refusal(_ reason: String) -> ServerResponse {
    let body: JSON = ["error": "invalid_request", "error_description": .string(reason), "sent": .string(reason)]
    return ServerResponse(status: 400, text: body.encoded(), type: "application/json")
  }

  private static func spell(_ value: String, _ echo: Echo) -> String {
    let unreserved = CharacterSet(charactersIn: "-._~").union(
      .alphanumerics.intersection(CharacterSet(charactersIn: " "..."~")))
    let percent = value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? value
    let base64 = Data(value.utf8).base64EncodedString()
    return switch echo {
    case .percent: percent
    case .lowercasePercent: percent.replacing(#/%[0-9A-F]{2}/#) { $0.output.lowercased() }
    case .form: percent.replacing("%20", with: "+").replacing("~", with: "%7E")
    case .jsonASCII:
      value.unicodeScalars.map {
        $0.isASCII && !"\"&'+<>`".unicodeScalars.contains($0) ? String($0) : "\\u" + String(format: "%04X", $0.value)
      }
      .joined()
    case .html:
      value.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
        .replacing("'", with: "&#39;")
    case .base64: base64
    case .base64URL: base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    case .raw, .text, .basicInHTML, .basicInJSON: value
    }
  }
}
