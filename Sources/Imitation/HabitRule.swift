import ConformClient
import Core
import HTTPServer
import JSON
import LocalTenant
import Parties

/// One effect of a habit, which changes requests or responses.
struct HabitRule: Sendable {
  let habit: String
  let effect: Effect

  /// Nil for an effect of a client.
  init?(_ habit: String, _ effect: Effect) {
    switch effect {
    case .metadata, .ignores, .scope, .refuses, .callback, .token, .claims, .userinfo, .errors, .formEncoded: break
    default: return nil
    }
    self.habit = habit
    self.effect = effect
  }

  // MARK: Requests

  /// The request as the tenant gets it.
  func adapted(_ request: ServerRequest, _ part: TenantPart, _ fields: [(String, String)]) -> ServerRequest {
    switch effect {
    case .ignores(let names) where part == .authorize || part == .token:
      return request.mapping { field in names.contains(field.0) ? nil : field }
    case .scope(let condition, let drops, let adds)
    where part == .authorize && condition.holds(fields, at: "authorize"):
      return request.mapping { name, value in
        guard name == "scope" else { return (name, value) }
        let kept = value.split(separator: " ").map(String.init).filter { !drops.contains($0) && !adds.contains($0) }
        return (name, (kept + adds).joined(separator: " "))
      }
    default: return request
    }
  }

  // MARK: Responses

  /// - Parameter fields: those of the request and of the authorization request before it.
  func change(
    _ response: inout ServerResponse, _ part: TenantPart, _ fields: [(String, String)], _ place: LiePlace,
    _ texts: HabitTexts
  ) {
    switch effect {
    case .metadata(let changes): apply(.metadata { members, _ in texts.put(changes, into: &members) })
    case .callback(let changes):
      apply(.callback { answer, _ in for (name, value) in changes { answer[name] = texts.filled(value).string } })
    case .token(let condition, let changes) where condition.holds(fields, at: "token"):
      apply(.tokens { members, _ in texts.put(changes, into: &members) })
    case .scope(_, _, let adds) where part == .token:
      // The client has not asked for the words.
      let asked = fields.last { $0.0 == "scope" }?.1.split(separator: " ").map(String.init) ?? []
      apply(
        .tokens { members, _ in
          guard let scope = members["scope"]?.string else { throw NoLie() }
          let words = scope.split(separator: " ").map(String.init).filter { !adds.contains($0) || asked.contains($0) }
          members["scope"] = .string(words.joined(separator: " "))
        })
    case .claims(let changes): apply(.idToken { draft, _ in texts.put(changes, into: &draft.claims) })
    case .userinfo(let changes): apply(.userinfo { members, _ in texts.put(changes, into: &members) })
    case .errors(let errors) where part == .token:
      guard response.status >= 400, let code = (try? JSON(parsing: response.body))?["error"]?.string,
        let refusal = errors[code]
      else { return }
      response = refusal.response
    case .errors(let errors):
      apply(
        .callback { answer, _ in
          guard let refusal = answer["error"].flatMap({ errors[$0] }) else { throw NoLie() }
          answer["error"] = refusal.error
          answer["error_description"] = refusal.description
        })
    case .formEncoded(let condition) where part == .token && condition.holds(fields, at: "token"):
      guard let members = (try? JSON(parsing: response.body))?.object else { return }
      let list = members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.string ?? $0.value.encoded()) }
      response.body = Array(URLEncodedForm.encode(list).utf8)
      response.headers = response.headers.map {
        $0.0 == "Content-Type" ? ($0.0, "application/x-www-form-urlencoded") : $0
      }
    default: break
    }

    func apply(_ lie: Lie) {
      for change in lie.edits where change.part == part {
        var changed = response
        // An edit that does not fit this response changes nothing.
        if (try? change.edit(&changed, place)) != nil { response = changed }
      }
    }
  }
}

/// The words in braces of a profile's texts.
struct HabitTexts: Sendable {
  let origin: String
  let kind: TenantKind
  let clientID: String

  func put(_ changes: [String: JSON], into members: inout [String: JSON]) {
    for (name, value) in changes {
      if value == .null { members.removeValue(forKey: name) } else { members[name] = filled(value) }
    }
  }

  func filled(_ value: JSON) -> JSON {
    guard case .string(let text) = value, text.contains("{") else { return value }
    let base = "\(origin)/contoso.onmicrosoft.com" + (kind == .b2c ? "/b2c_1_susi" : "")
    return .string(
      text.replacing("{origin}", with: origin).replacing("{base}", with: base)
        .replacing("{host}", with: String(WebAddress(origin).authority)).replacing("{client_id}", with: clientID)
        .replacing("{opaque}", with: "opaque-access-token"))
  }
}

extension ServerRequest {
  /// The request with other parameters in its query and its form; nil takes one out.
  fileprivate func mapping(_ change: ((String, String)) -> (String, String)?) -> ServerRequest {
    let path = target.prefix { $0 != "?" }
    let query = query.compactMap(change)
    let newTarget = query.isEmpty ? String(path) : "\(path)?\(URLEncodedForm.encode(query))"
    let form = form
    return ServerRequest(
      method: method, target: newTarget, headers: headers,
      body: form.isEmpty ? body : URLEncodedForm.bytes(form.compactMap(change)), certificate: certificate)
  }
}
