import Core
package import HTTPServer
import JOSE
package import JSON
import LocalTenant
import Markup

/// A change of what the tenant says: a lie that a program must refuse, or a truth that it must cope with.
package struct Lie: Sendable {
  package typealias Edit = @Sendable (_ response: inout ServerResponse, _ place: LiePlace) throws -> Void

  /// The changes, by the part of the tenant whose responses they change. `pages` and `authorize` share the answer to an
  /// authorization request.
  package internal(set) var edits: [(part: TenantPart, edit: Edit)] = []
  /// Changes the configuration of the tenant.
  var configure: @Sendable (inout TenantConfiguration) -> Void = { _ in }
  var prepare: @Sendable (LocalTenant) throws -> Void = { _ in }
  /// Gives the addresses that the browser asks before it brings an answer to this address of the program.
  var asksBefore: @Sendable (_ answer: String) -> [String] = { _ in [] }
  /// True if responses are changed until a request is answered for the first time only.
  var isOnce = false

  /// No lie: the right sign-in.
  package static let none = Lie()

  /// Both lies together.
  func and(_ other: Lie) -> Lie {
    var both = self
    both.edits += other.edits
    let (mine, theirs) = (configure, other.configure)
    both.configure = {
      mine(&$0)
      theirs(&$0)
    }
    return both
  }

  /// The lie in the first response only.
  var once: Lie {
    var lie = self
    lie.isOnce = true
    return lie
  }
}

/// The place of a lie: the request, and what the tenant knows.
package struct LiePlace: Sendable {
  package let request: ServerRequest
  let keys: TenantKeys
  /// The origin of the tenant as the program knows it, and its other name.
  package let origin: String
  let otherOrigin: String
  /// The exchanges before the request.
  let earlier: [Exchange]

  package init(request: ServerRequest, keys: TenantKeys, origin: String, earlier: [Exchange] = []) {
    self.earlier = earlier
    self.request = request
    self.keys = keys
    self.origin = origin
    otherOrigin = origin.replacing("127.0.0.1", with: "localhost")
  }
}

/// Thrown if the lie does not fit the response, which then stays as it is.
package struct NoLie: Error {
  package init() {}
}

// MARK: Ways to lie

extension Lie {
  /// Changes all responses of a part.
  package static func response(_ part: TenantPart, _ edit: @escaping Edit) -> Lie { Lie(edits: [(part, edit)]) }

  /// Changes the JSON of the successful responses of a part.
  package static func json(
    _ part: TenantPart, _ edit: @escaping @Sendable (inout [String: JSON], LiePlace) throws -> Void
  ) -> Lie {
    response(part) { response, place in
      guard (200...299).contains(response.status), var members = try JSON(parsing: response.body).object else {
        throw NoLie()
      }
      try edit(&members, place)
      response.body = Array(JSON.object(members).encoded().utf8)
    }
  }

  package static func metadata(_ edit: @escaping @Sendable (inout [String: JSON], LiePlace) throws -> Void) -> Lie {
    json(.metadata, edit)
  }

  /// Changes the list of keys.
  static func keys(_ edit: @escaping @Sendable (inout [JSON], LiePlace) throws -> Void) -> Lie {
    json(.keys) { members, place in
      var keys = members["keys"]?.array ?? []
      try edit(&keys, place)
      members["keys"] = .array(keys)
    }
  }

  /// Changes the members of token responses.
  package static func tokens(_ edit: @escaping @Sendable (inout [String: JSON], LiePlace) throws -> Void) -> Lie {
    json(.token, edit)
  }

  /// Changes the responses to one grant type only.
  static func grant(
    _ grant: String, _ edit: @escaping @Sendable (inout [String: JSON], LiePlace) throws -> Void
  ) -> Lie {
    tokens { members, place in
      guard place.request.form.contains(where: { $0 == ("grant_type", grant) }) else { throw NoLie() }
      try edit(&members, place)
    }
  }

  /// Changes the ID token, in token responses and in authorization responses.
  package static func idToken(_ edit: @escaping @Sendable (inout TokenDraft, LiePlace) throws -> Void) -> Lie {
    let changed: @Sendable (String, LiePlace) throws -> String = { text, place in
      var draft = try TokenDraft(text)
      try edit(&draft, place)
      return try draft.signed(place.keys)
    }
    return tokens { members, place in
      guard let text = members["id_token"]?.string else { throw NoLie() }
      members["id_token"] = .string(try changed(text, place))
    }.and(
      callback { fields, place in
        guard let text = fields["id_token"] else { throw NoLie() }
        fields["id_token"] = try changed(text, place)
      })
  }

  package static func userinfo(_ edit: @escaping @Sendable (inout [String: JSON], LiePlace) throws -> Void) -> Lie {
    json(.userinfo, edit)
  }

  /// Changes the authorization response, wherever it is: in the query, in the fragment or in a form.
  package static func callback(_ edit: @escaping @Sendable (inout AnswerFields, LiePlace) throws -> Void) -> Lie {
    let change: Edit = { response, place in
      guard var answer = AuthorizationAnswerPlace(response, place) else { throw NoLie() }
      try edit(&answer.fields, place)
      response = answer.response(changing: response)
    }
    return Lie(edits: [(.authorize, change), (.pages, change)])
  }

  /// Answers the requests of a part with an error.
  static func error(
    _ part: TenantPart, _ status: Int, _ body: JSON, headers: [(String, String)] = []
  ) -> Lie {
    response(part) { response, _ in
      response = ServerResponse(
        status: status, headers: headers, text: body.encoded(), type: "application/json; charset=utf-8")
    }
  }

  /// Answers the requests of a part with a web page of the same status.
  static func page(_ part: TenantPart) -> Lie {
    response(part) { response, _ in
      response.headers = [("Content-Type", "text/html")]
      response.body = Array("<!DOCTYPE html><h1>Maintenance</h1>".utf8)
    }
  }

  static func configured(_ edit: @escaping @Sendable (inout TenantConfiguration) -> Void) -> Lie {
    var lie = Lie()
    lie.configure = edit
    return lie
  }

  static func prepared(_ prepare: @escaping @Sendable (LocalTenant) throws -> Void) -> Lie {
    var lie = Lie()
    lie.prepare = prepare
    return lie
  }
}

/// The fields of an authorization response, in their order.
package struct AnswerFields: Sendable {
  var all: [(String, String)]

  /// The first value of a name. Setting replaces it, or adds it at the end; nil removes all.
  package subscript(_ name: String) -> String? {
    get { all.first { $0.0 == name }?.1 }
    set {
      guard let newValue else { return all.removeAll { $0.0 == name } }
      if let index = all.firstIndex(where: { $0.0 == name }) {
        all[index].1 = newValue
      } else {
        all.append((name, newValue))
      }
    }
  }

  /// The answer of a tenant that refused the sign-in.
  mutating func refuse(_ error: String, _ description: String = "The tenant refused the sign-in.") {
    all.removeAll { ["code", "id_token", "access_token", "token_type", "expires_in", "scope"].contains($0.0) }
    all.insert(contentsOf: [("error", error), ("error_description", description)], at: 0)
  }
}

/// An authorization response within a response of the tenant.
struct AuthorizationAnswerPlace {
  private enum Form { case query, fragment, form }

  private let form: Form
  private let target: String
  var fields: AnswerFields

  /// Nil for a response that sends the browser to no other party.
  init?(_ response: ServerResponse, _ place: LiePlace) {
    func isOwn(_ url: String) -> Bool {
      ["\(place.origin)/", "\(place.otherOrigin)/", "/"].contains(where: url.hasPrefix)
    }
    if let location = response.headers.first(where: { $0.0 == "Location" })?.1, !isOwn(location) {
      let address = WebAddress(location)
      form = address.fragment == nil ? .query : .fragment
      target = location
      fields = AnswerFields(all: URLEncodedForm.decode(address.fragment ?? address.query ?? ""))
      return
    }
    guard response.status == 200, response.headers.contains(where: { $0.1.hasPrefix("text/html") }),
      let found = try? HTMLDocument(parsing: response.body).forms.first(where: { !isOwn($0.action ?? "/") }),
      let action = found.action
    else { return nil }
    (form, target) = (.form, action)
    fields = AnswerFields(all: found.submittedFields)
  }

  func response(changing response: ServerResponse) -> ServerResponse {
    var changed = response
    var address = WebAddress(target)
    switch form {
    case .query: address.query = URLEncodedForm.encode(fields.all)
    case .fragment: address.fragment = URLEncodedForm.encode(fields.all)
    case .form:
      let inputs = fields.all.map {
        "<input type=\"hidden\" name=\"\(HTMLText.escape($0.0))\" value=\"\(HTMLText.escape($0.1))\">"
      }
      changed.body = Array(
        "<!DOCTYPE html><form method=\"post\" action=\"\(HTMLText.escape(target))\">\(inputs.joined())</form>".utf8)
      return changed
    }
    changed.headers = response.headers.map { $0.0 == "Location" ? ("Location", address.text) : $0 }
    return changed
  }
}
