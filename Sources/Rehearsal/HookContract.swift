import Core
import Crypto
import JOSE
import JSON

/// The call by which External ID asks whether a password is right at the old directory (just-in-time password migration,
/// Microsoft's page of December 2025).
enum HookContract {
  /// The answer of the hook.
  enum Action: Equatable {
    /// The password is right: External ID stores it.
    case migrate
    /// The password is right, and must be replaced.
    case update
    /// The password is wrong.
    case retry
    case block
    /// An answer that says none of it, with the reason.
    case broken(String)
  }

  private static let prefix = "microsoft.graph.passwordSubmit."

  /// The body of a call.
  static func request(
    username: String, password: Secret, nonce: String, clientID: String, key: JWK
  ) throws -> JSON {
    let context: JSON = [
      "user-password": .string(password.reveal()), "username": .string(username), "nonce": .string(nonce),
    ]
    let sealed = try JWE.encrypt(
      Array(context.encoded().utf8), header: ["alg": "RSA-OAEP", "enc": "A256GCM"], key: key)
    return [
      "type": "microsoft.graph.authenticationEvent.passwordSubmit",
      "source": .string("/tenants/contoso/applications/\(clientID)"),
      "data": [
        "@odata.type": "microsoft.graph.onPasswordSubmitCalloutData", "encryptedPasswordContext": .string(sealed),
        "authenticationContext": [
          "protocol": "OAUTH2.0", "clientServicePrincipal": ["appId": .string(clientID)],
          "user": ["mail": .string(username), "userPrincipalName": .string(username), "userType": "Member"],
        ],
      ],
    ]
  }

  /// The user name, the password and the nonce of a call.
  static func opened(_ body: [UInt8], key: PrivateKey) throws -> (username: String, password: Secret, nonce: String)? {
    let sealed = try JSON(parsing: body)["data"]?["encryptedPasswordContext"]?.string ?? ""
    let context = try JSON(parsing: try JWE.decrypt(sealed, key: key).plain)
    guard let password = context["user-password"]?.string, let username = context["username"]?.string,
      let nonce = context["nonce"]?.string
    else { return nil }
    return (username, Secret(password), nonce)
  }

  /// The body of an answer with this action.
  static func response(_ action: String, nonce: String?) -> JSON {
    var data: [String: JSON] = [
      "@odata.type": "microsoft.graph.onPasswordSubmitResponseData",
      "actions": [["@odata.type": .string(prefix + action)]],
    ]
    data["nonce"] = nonce.map(JSON.string)
    return ["data": .object(data)]
  }

  /// Reads an answer. Everything that is not exactly one known action for this call is broken.
  static func action(status: Int, _ body: [UInt8], nonce: String) -> Action {
    guard status == 200 else { return .broken("status \(status)") }
    guard let json = try? JSON(parsing: body), let data = json["data"] else { return .broken("no JSON with data") }
    guard let actions = data["actions"]?.array, actions.count == 1, let name = actions[0]["@odata.type"]?.string else {
      return .broken("not exactly one action")
    }
    guard data["nonce"]?.string == nonce else { return .broken("the nonce is not that of the call") }
    switch name {
    case prefix + "MigratePassword": return .migrate
    case prefix + "UpdatePassword": return .update
    case prefix + "Retry": return .retry
    case prefix + "Block": return .block
    default: return .broken("the action \(name) is unknown")
    }
  }
}

/// One way in which a hook is broken.
package enum HookFault: String, Sendable, CaseIterable {
  case unreachable = "nothing listens at its address"
  case slow = "it answers too late"
  case dropped = "it closes the connection"
  case failure = "it answers 500"
  case unauthorized = "it answers 401"
  case missing = "it answers 404"
  case redirect = "it redirects"
  case empty = "its answer is empty"
  case page = "its answer is a page"
  case truncated = "its JSON ends in the middle"
  case noData = "its answer has no data"
  case noAction = "its answer has no action"
  case unknownAction = "its action is unknown"
  case twoActions = "its answer has two actions"
  case noNonce = "its answer has no nonce"
  case otherNonce = "its nonce is that of another call"
}
