import Core
import HTTPServer
import JOSE
import JSON
import Synchronization

/// A faulty provider: one fault, and the checks that are tried at it.
struct PlantedFault: Sendable {
  let name: String
  /// The topics that the fault is about.
  let topics: [String]
  let fault: @Sendable (TestProvider) -> TestProvider.Fault

  init(_ name: String, _ topics: [String], _ fault: @escaping @Sendable (TestProvider) -> TestProvider.Fault) {
    self.name = name
    self.topics = topics
    self.fault = fault
  }

  static let all: [PlantedFault] = documents + keys + lenient + strict + responses

  private static let metadataPath = "v2.0/.well-known/openid-configuration"
  private static let keysPath = "discovery/v2.0/keys"

  // MARK: Documents

  private static func metadata(
    _ name: String, _ topics: [String] = ["provider.metadata", "provider.features"],
    _ change: @escaping @Sendable (inout [String: JSON]) -> Void
  ) -> PlantedFault {
    PlantedFault(name, topics) { _ in
      { request, next in request.isTo(metadataPath) ? next(request).with(change) : next(request) }
    }
  }

  private static let documents: [PlantedFault] = [
    metadata("all members wrong") { members in
      for (name, value) in members {
        if name.hasSuffix("_endpoint") || name.hasSuffix("_uri") {
          members[name] = "http://User@Provider.example/x#fragment"
        } else if let list = value.array {
          members[name] = .array(list + list + ["none", "conform", "HS256", "plain", "RSA1_5", 7, "password"])
        }
      }
      members["issuer"] = "http://User@Other.Example/?query"
      members["jwks_uri"] = "http://User@Provider.example/x#fragment"
      members["mtls_endpoint_aliases"] = ["conform_endpoint": "http://provider.example/x"]
      members["signed_metadata"] = "conform"
      members["frontchannel_logout_supported"] = "yes"
      members["client_id_metadata_document_supported"] = "yes"
      members["request_parameter_supported"] = "yes"
      members["request_object_encryption_enc_values_supported"] = nil
      members["request_uri_parameter_supported"] = nil
      members["backchannel_authentication_request_signing_alg_values_supported"] = ["none"]
      members["introspection_signing_alg_values_supported"] = ["none"]
      members["ui_locales_supported"] = []
      members["op_tos_uri"] = .null
      members["acr_values_supported"] = "mfa"
      members["display_values_supported"] = "page"
    },
    metadata("little in the document") { members in
      members = members.filter { name, _ in
        [
          "authorization_endpoint", "token_endpoint", "jwks_uri", "require_pushed_authorization_requests",
          "request_parameter_supported", "response_modes_supported", "revocation_endpoint_auth_methods_supported",
          "introspection_endpoint_auth_methods_supported", "token_endpoint_auth_methods_supported",
          "device_authorization_endpoint", "backchannel_authentication_endpoint",
        ].contains(name)
      }
      members["require_pushed_authorization_requests"] = true
      members["request_parameter_supported"] = true
      members["grant_types_supported"] = ["authorization_code"]
      members["token_endpoint_auth_methods_supported"] = ["client_secret_basic", "client_secret_jwt"]
    },
    metadata("other values") { members in
      members["response_types_supported"] = ["token"]
      members["scopes_supported"] = ["profile"]
      members["subject_types_supported"] = ["conform"]
      members["id_token_signing_alg_values_supported"] = ["ES256"]
      members["authorization_response_iss_parameter_supported"] = false
      members["require_pushed_authorization_requests"] = false
      members["code_challenge_methods_supported"] = ["plain"]
      members["token_endpoint_auth_methods_supported"] = ["client_secret_basic"]
      members["backchannel_token_delivery_modes_supported"] = ["conform"]
      members["prompt_values_supported"] = ["conform"]
      members["grant_types_supported"] = ["password", "implicit"]
    },
    PlantedFault("the document is answered badly", ["provider.metadata"]) { _ in
      { request, next in
        guard request.isTo(metadataPath) else { return next(request) }
        var response = next(ServerRequest(method: "GET", target: request.target, headers: request.headers))
        if !request.query.isEmpty { return ServerResponse(status: 404) }
        response = response.with { members in
          members["conform"] = .string(String(repeating: "x", count: 70_000))
          members["time"] = .integer(Int64.random(in: 0..<Int64.max))
          if request.method != "GET" { members["issuer"] = "https://other.example" }
        }
        response.status = 203
        response["Content-Type"] = "text/html"
        response["Access-Control-Allow-Origin"] = request.header("Origin")
        response["Access-Control-Allow-Credentials"] = "true"
        return response
      }
    },
    PlantedFault("programs in a browser are kept out", ["provider.metadata", "provider.keys"]) { _ in
      { request, next in
        var response = next(request)
        response["Access-Control-Allow-Origin"] = nil
        return response
      }
    },
  ]

  private static func keys(_ name: String, _ change: @escaping @Sendable (JSON) -> [JSON]) -> PlantedFault {
    PlantedFault(name, ["provider.keys"]) { _ in
      { request, next in
        guard request.isTo(keysPath) else { return next(request) }
        var response = next(request).with { $0["keys"] = .array(change($0["keys"]?.array?.first ?? .null)) }
        response["Content-Type"] = "text/plain"
        response["Cache-Control"] = nil
        return response
      }
    }
  }

  private static let keys: [PlantedFault] = [
    keys("bad keys") { key in
      let number = "\(Int64.random(in: 0..<Int64.max))"
      return [
        ["kty": "RSA", "n": "AQAB", "e": "Aw", "kid": .string(number), "use": "conform", "key_ops": ["verify"], "d": "AQAB"],
        ["kty": "RSA", "n": "AQAB", "e": "Aw", "kid": .string(number), "use": "conform", "alg": "ES256"],
        ["kty": "oct", "k": "AQAB"], ["kty": "conform", "x5c": ["a-b_"]], ["kid": "no type", "use": "enc"],
        ["kty": "EC", "crv": "P-1", "x": "+/==", "y": "AA"], ["kty": "RSA", "n": "AAEAAQ", "e": "AAEAAQ"],
      ]
    },
    keys("no keys") { _ in [] },
    PlantedFault("the keys are no set", ["provider.keys"]) { _ in
      { request, next in request.isTo(keysPath) ? .json(404, ["error": "not_found"]) : next(request) }
    },
    PlantedFault("jwks_uri is missing", ["provider.keys"]) { _ in
      { request, next in request.isTo(metadataPath) ? next(request).with { $0["jwks_uri"] = nil } : next(request) }
    },
  ]

  // MARK: Everything is accepted

  private static let tokens: [String: JSON] = [
    "access_token": "conform-access-token-conform-access", "token_type": "Bearer", "expires_in": 3600,
    "refresh_token": "conform-refresh-token-conform-refresh", "scope": "openid conform:wider conform:unknown",
    "id_token": "e30.e30.e30", "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
  ]

  /// Answers a refused request as if it were right.
  private static func accepts(
    _ endpoint: String, _ topics: [String], _ status: Int = 200,
    _ members: @escaping @Sendable (ServerRequest) -> [String: JSON]
  ) -> PlantedFault {
    PlantedFault("\(endpoint) accepts everything", topics) { _ in
      { request, next in
        let response = next(request)
        guard request.isTo(endpoint), response.status >= 400 else { return response }
        return .json(status, members(request))
      }
    }
  }

  private static let lenient: [PlantedFault] = [
    accepts(
      "oauth2/v2.0/token",
      ["code", "pkce", "token", "client", "refresh", "credentials", "dpop", "device", "ciba", "exchange", "revocation", "userinfo"]
        .map { "provider.\($0)" }) { _ in tokens },
    accepts("oauth2/v2.0/par", ["provider.par"], 201) { _ in
      ["request_uri": "urn:ietf:params:oauth:request_uri:conform-conform-conform-conform", "expires_in": 60]
    },
    accepts("openid/v2.0/userinfo", ["provider.userinfo", "provider.dpop", "provider.revocation"]) { _ in
      ["sub": "conform", "name": "", "email": .null]
    },
    PlantedFault("every token is active", ["provider.introspection"]) { _ in
      { request, next in
        let response = next(request)
        guard request.isTo("oauth2/v2.0/introspection"), response.status == 200 else { return response }
        return .json(200, ["active": true])
      }
    },
    accepts("oauth2/v2.0/introspection", ["provider.introspection"]) { _ in ["active": true, "sub": "conform"] },
    accepts("oauth2/v2.0/register", ["provider.registration"], 201) { request in
      ["client_id": "conform", "redirect_uris": ["https://conform.example/callback"]]
    },
    accepts("oauth2/v2.0/devicecode", ["provider.device"]) { _ in ["device_code": "1", "user_code": "0O"] },
    accepts("oauth2/v2.0/bc-authorize", ["provider.ciba"]) { _ in ["auth_req_id": "1", "expires_in": 60] },
    accepts("oauth2/v2.0/revoke", ["provider.revocation"]) { _ in [:] },
    PlantedFault("everybody may revoke", ["provider.revocation"]) { _ in
      { request, next in
        guard request.isTo("oauth2/v2.0/token"), request.parameter("grant_type") == "refresh_token" else {
          return next(request)
        }
        return .json(400, ["error": "invalid_grant"])
      }
    },
    PlantedFault(
      "every authorization request is right",
      ["redirect", "authorization", "pkce", "response", "par", "request-object"].map { "provider.\($0)" }
    ) { _ in
      { request, next in
        let response = next(request)
        let location = response["Location"] ?? ""
        guard request.isTo("oauth2/v2.0/authorize"), response.status >= 400 || location.contains("error=") else {
          return response
        }
        let asked = request.parameter("redirect_uri") ?? "https://conform.example/callback"
        let target = String(asked.unicodeScalars.prefix { $0.value >= 0x20 })
        let state = request.parameter("state").map { "&state=\(URLEncodedForm.percentEncode($0))" } ?? ""
        return .redirect(to: "\(target)\(target.contains("?") ? "&" : "?")code=conform\(state)")
      }
    },
    PlantedFault("a pushed request is not bound", ["provider.par", "provider.request-object"]) { _ in
      { request, next in
        let names = request.names
        guard request.isTo("oauth2/v2.0/authorize"), names.contains("request_uri") || names.contains("request") else {
          return next(request)
        }
        let target = request.parameter("redirect_uri") ?? "https://conform.example/callback"
        let state = request.parameter("state").map { "&state=\($0)" } ?? ""
        return .redirect(to: "\(target)?code=conform\(state)")
      }
    },
  ]

  // MARK: Everything unusual is refused

  private static let usualAuthorization: Set = [
    "client_id", "response_type", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method", "nonce",
  ]
  private static let usualToken: Set = [
    "client_id", "client_secret", "client_assertion_type", "grant_type", "code", "redirect_uri", "code_verifier", "refresh_token",
  ]

  private static let strict: [PlantedFault] = [
    PlantedFault("one authorization request succeeds", ["provider.authorization"]) { _ in
      let count = Counter()
      return { request, next in
        request.isTo("oauth2/v2.0/authorize") && count.next() > 1
          ? ServerResponse(status: 400, text: "<h1>no</h1>", type: "text/html") : next(request)
      }
    },
    PlantedFault("one token request succeeds", ["provider.code"]) { _ in
      let count = Counter()
      return { request, next in
        request.isTo("oauth2/v2.0/token") && count.next() > 1 ? .json(400, ["error": "conform"]) : next(request)
      }
    },
    PlantedFault("errors at the authorization endpoint have an unknown code", ["provider.authorization"]) { _ in
      { request, next in
        guard request.isTo("oauth2/v2.0/authorize"), request.parameter("scope")?.contains("conform") == true else {
          return next(request)
        }
        return .redirect(to: "https://conform.example/callback?error=conform")
      }
    },
    metadata("pushing is required, and not enforced", ["provider.authorization"]) { members in
      members["require_pushed_authorization_requests"] = true
    },
    PlantedFault("a registration cannot be read", ["provider.registration"]) { _ in
      { request, next in
        request.isTo("oauth2/v2.0/register") && request.method == "GET" ? .json(400, [:]) : next(request)
      }
    },
    PlantedFault("a second revocation is an error", ["provider.revocation"]) { _ in
      let count = Counter()
      return { request, next in
        guard request.isTo("oauth2/v2.0/revoke"), let token = request.parameter("token"), count.next(token) > 1 else {
          return next(request)
        }
        return .json(400, ["error": "conform"])
      }
    },
    PlantedFault(
      "unusual authorization requests are refused",
      ["authorization", "response", "par", "request-object", "id-token", "redirect"].map { "provider.\($0)" }
    ) { _ in
      { request, next in
        guard request.isTo("oauth2/v2.0/authorize") else { return next(request) }
        let isUsual = request.method == "GET" && Set(request.names).isSubset(of: usualAuthorization)
          && request.parameter("nonce") != nil && request.parameter("response_type") == "code"
          && (request.parameter("state")?.count ?? 99) < 30
        guard !isUsual else { return next(request) }
        return ServerResponse(status: 400, text: "<h1>no</h1>", type: "text/html")
      }
    },
    PlantedFault(
      "unusual token requests are refused", ["token", "client", "refresh", "device", "ciba", "exchange", "dpop", "code"].map { "provider.\($0)" }
    ) { _ in
      { request, next in
        guard request.isTo("oauth2/v2.0/token") else { return next(request) }
        let isUsual = Set(request.names).isSubset(of: usualToken) && request.header("DPoP") == nil
          && request.header("Content-Type") == "application/x-www-form-urlencoded"
          && request.parameter("grant_type") == "authorization_code"
        return isUsual ? next(request) : .json(400, ["error": "conform_refused"])
      }
    },
    PlantedFault("what comes after the sign-in is refused", ["userinfo", "introspection", "revocation", "registration", "par", "device", "logout", "dpop", "ciba", "exchange"].map { "provider.\($0)" }) { _ in
      { request, next in
        let endpoints = ["openid/v2.0/userinfo", "oauth2/v2.0/introspection", "oauth2/v2.0/revoke", "oauth2/v2.0/register", "oauth2/v2.0/par", "oauth2/v2.0/logout"]
        return endpoints.contains(where: request.isTo) ? .json(400, ["error": "conform_refused"]) : next(request)
      }
    },
    PlantedFault("errors are servers' faults", ["pages", "logout"].map { "provider.\($0)" }) { _ in
      { request, next in
        let isOdd = (request.parameter("client_id") ?? "").contains("conform-unknown") || request.method == "PUT"
          || request.isTo("oauth2/v2.0/logout")
        return isOdd ? ServerResponse(status: 500, text: "<h1>no</h1>", type: "text/html") : next(request)
      }
    },
  ]
}

/// Counts requests, for a fault that begins with the second one.
final class Counter: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  func next(_ name: String = "") -> Int {
    counts.withLock { counts in
      counts[name, default: 0] += 1
      return counts[name] ?? 0
    }
  }
}
