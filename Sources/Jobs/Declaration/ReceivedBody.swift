import Core
import Crypto
package import JSON

/// The body of a received request, as the scripts of jobs read it.
package enum ReceivedBody {
  /// The field of a form with the JSON in it: GitHub sends its events so, unless somebody chooses JSON.
  private static let field = "payload"

  /// The value of a JSON body, and of a form with JSON in its field `payload`.
  /// - Parameter request: `body` and `headers`, as an event has them.
  /// - Throws: `bad_json`
  package static func json(of request: JSON) throws(JobError) -> JSON {
    let body = request["body"]?.string ?? ""
    let type = request["headers"]?["content-type"]?.string?.lowercased() ?? ""
    let isForm = type.prefix(while: { $0 != ";" && $0 != " " }) == "application/x-www-form-urlencoded"
    // Senders such as `curl -d` say that JSON is a form.
    do throws(JSONError) { return try JSON(parsing: body.pathBytes) } catch {
      guard isForm else { throw JobError("bad_json", "the body of the request is no JSON: \(error.message)") }
    }
    guard let text = URLEncodedForm.decode(body).first(where: { $0.0 == field })?.1 else {
      throw JobError(
        "bad_json", "the body of the request is a form without the field \(field), and no JSON",
        hint: "let the sender send the content type application/json, or read event.body")
    }
    do { return try JSON(parsing: text) } catch {
      throw JobError("bad_json", "the field \(field) of the form is no JSON: \(error.message)")
    }
  }
}

extension JSON {
  /// The text of the value at a path such as `json.order.id`; nil if there is none.
  package func value(at path: String) -> String? {
    var value: JSON? = self
    var names = path.split(separator: ".")[...]
    // `json` is the body of a request.
    if names.first == "json", self["json"] == nil, self["body"]?.string != nil {
      value = try? ReceivedBody.json(of: self)
      names.removeFirst()
    }
    for name in names { value = value?[String(name)] ?? value?[String(name).lowercased()] }
    switch value {
    case nil, .null?: return nil
    // PostgreSQL stores no NUL.
    case .string(let text)?: return text.replacing("\u{0}", with: "\u{FFFD}")
    case let other?: return other.encoded()
    }
  }

  /// The member of an event with the lane of its run, where the value that tells lanes apart is not in the event.
  package static let laneMember = "lane"

  /// The text that tells the runs of a job apart that may go on beside each other; nil if there is none.
  /// - Parameter key: the path of `overlap.key`.
  func lane(_ key: String?) -> String? {
    guard let key, let text = self[Self.laneMember]?.string ?? value(at: key) else { return nil }
    guard text.utf8.count > StoredName.most else { return text }
    return "sha256:\(SHA256.hash(text.utf8).hexadecimal)"
  }
}
