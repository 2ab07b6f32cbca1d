import Core
import HTTPServer
import JOSE
import JSON

extension PlantedFault {
  private static let tokenPath = "oauth2/v2.0/token"

  /// Changes the successful responses of an endpoint.
  private static func response(
    _ name: String, _ endpoint: String, _ topics: [String],
    _ change: @escaping @Sendable (ServerRequest, inout ServerResponse) -> Void
  ) -> PlantedFault {
    PlantedFault(name, topics.map { "provider.\($0)" }) { _ in
      { request, next in
        var response = next(request)
        guard request.isTo(endpoint) else { return response }
        change(request, &response)
        return response
      }
    }
  }

  /// Changes the ID token and the access token of each token response.
  private static func tokens(
    _ name: String, _ topics: [String] = ["id-token", "access-token", "refresh", "authorization"],
    header: [String: JSON] = [:],
    _ change: @escaping @Sendable (inout [String: JSON]) -> Void
  ) -> PlantedFault {
    PlantedFault(name, topics.map { "provider.\($0)" }) { provider in
      { request, next in
        let response = next(request)
        guard request.isTo(tokenPath), response.status == 200 else { return response }
        return response.with { members in
          for kind in ["id_token", "access_token"] {
            guard let text = members[kind]?.string, let token = try? JWT(decoding: text) else { continue }
            var claims = token.claims.object ?? [:]
            change(&claims)
            members[kind] = .string(provider.sign(claims, header))
          }
        }
      }
    }
  }

  /// At a provider of FAPI 2.0.
  static let rotation = response("refresh tokens are rotated", tokenPath, ["refresh"]) { request, response in
    guard request.parameter("grant_type") == "refresh_token" else { return }
    response = response.with { $0["refresh_token"] = .string("conform-\(Int64.random(in: 0..<Int64.max))") }
  }

  static let responses: [PlantedFault] = [
    response("the token response is wrong", tokenPath, ["token", "refresh"]) { _, response in
      response["Cache-Control"] = nil
      response["Content-Type"] = "text/plain"
      guard response.status == 200 else { return }
      response.status = 201
      response = response.with { members in
        members["expires_in"] = "99999999"
        members["token_type"] = "conform"
        members["access_token"] = "ö1"
        members["refresh_token"] = "123"
        members["id_token"] = nil
        members["scope"] = ""
      }
    },
    response("the token response is nearly empty", tokenPath, ["token"]) { request, response in
      guard response.status == 200 else { return }
      response = response.with { members in
        members = ["refresh_token": "x", "code": .string(request.parameter("code") ?? ""), "access_token": "conform"]
      }
    },
    response("an access token is missing", tokenPath, ["token"]) { _, response in
      response = response.with { members in
        members["access_token"] = nil
        members["token_type"] = nil
      }
    },
    response("a token is valid for years", tokenPath, ["token", "access-token"]) { _, response in
      response = response.with { $0["expires_in"] = 99_999_999 }
    },
    response("errors are wrong", tokenPath, ["token", "client", "code"]) { request, response in
      guard response.status >= 400 else { return }
      response = ServerResponse(
        status: 403, text: "{\"error\": \"conform\", \"error_description\": \"\\u0001 \(request.parameter("code") ?? "")\"}",
        type: "text/plain")
      response["Access-Control-Allow-Origin"] = request.header("Origin")
      response["Access-Control-Allow-Credentials"] = "true"
    },
    response("refreshed tokens are stored", tokenPath, ["refresh"]) { _, response in response["Cache-Control"] = nil },
    response("the same refresh token comes again", tokenPath, ["refresh"]) { request, response in
      guard let token = request.parameter("refresh_token") else { return }
      response = response.with { $0["refresh_token"] = .string(token) }
    },
    tokens("all claims are wrong") { claims in
      for name in ["iss", "sub", "aud", "exp", "iat", "nbf", "auth_time", "azp", "nonce"] { claims[name] = "conform" }
      claims["sub"] = .string(String(repeating: "x", count: 300) + "\(Int64.random(in: 0..<Int64.max))")
      claims["acr"] = 1
      claims["amr"] = "password"
      claims["at_hash"] = "conform"
      claims["c_hash"] = "conform"
      claims["auth_time"] = .string("\(Int64.random(in: 0..<Int64.max))")
    },
    tokens("claims are missing") { $0 = ["conform": 1, "at_hash": "x"] },
    tokens("times are wrong") { claims in
      claims["exp"] = 1000
      claims["iat"] = 2000
      claims["nbf"] = 99_999_999_999
      claims["auth_time"] = 99_999_999_999
      claims["aud"] = ["a", "b"]
      claims["azp"] = nil
    },
    tokens("the header is wrong", header: ["kid": "other", "jku": "https://other.example", "typ": "conform"]) { _ in },
    PlantedFault("tokens are not signed", ["provider.id-token", "provider.access-token"]) { _ in
      { request, next in
        let response = next(request)
        guard request.isTo(tokenPath) else { return response }
        return response.with { members in
          for kind in ["id_token", "access_token"] {
            guard let parts = members[kind]?.string?.split(separator: "."), parts.count == 3 else { continue }
            members[kind] = .string("eyJhbGciOiJub25lIn0.\(parts[1]).")
          }
        }
      }
    },
    PlantedFault("the access token is in the ID token", ["provider.id-token"]) { provider in
      { request, next in
        let response = next(request)
        guard request.isTo(tokenPath) else { return response }
        return response.with { members in
          guard let text = members["id_token"]?.string, let token = try? JWT(decoding: text) else { return }
          members["id_token"] = .string(
            provider.sign((token.claims.object ?? [:]).merging(["token": members["access_token"] ?? .null]) { $1 }))
        }
      }
    },
    // The redirect.
    PlantedFault("the redirect is wrong", ["provider.authorization", "provider.code", "provider.response"]) { _ in
      { request, next in
        if request.parameter("code") == "1" {
          return .json(200, ["access_token": "conform", "token_type": "Bearer", "refresh_token": "conform"])
        }
        var response = next(request)
        guard let location = response["Location"], location.hasPrefix("https://conform.example") else { return response }
        response.status = 307
        response["Cache-Control"] = nil
        response["Location"] = "https://conform.example/callback?code=1&state=conform&iss=conform&id_token=e30.e30.e30"
        return response
      }
    },
    PlantedFault("iss and state are missing", ["provider.authorization"]) { _ in
      { request, next in
        var response = next(request)
        guard let location = response["Location"], location.hasPrefix("https://conform.example") else { return response }
        var address = WebAddress(location)
        address.query = address.query?.split(separator: "&").filter { !$0.hasPrefix("iss=") && !$0.hasPrefix("state=") }
          .joined(separator: "&")
        response["Location"] = address.text
        return response
      }
    },
    PlantedFault("nobody signs in again", ["provider.authorization"]) { _ in
      { request, next in
        guard request.isTo("oauth2/v2.0/authorize"), request.parameter("prompt") != nil || request.parameter("max_age") != nil
        else { return next(request) }
        return .redirect(to: "https://conform.example/callback?code=conform")
      }
    },
    PlantedFault("form_post is stored, jwt is none", ["provider.response"]) { _ in
      { request, next in
        var response = next(request)
        response["Cache-Control"] = nil
        guard let mode = request.parameter("response_mode") else { return response }
        if mode == "jwt" { return .redirect(to: "https://conform.example/callback?response=eyJhbGciOiJFUzI1NiJ9.e30.e30") }
        return mode == "form_post" ? response : .redirect(to: "https://conform.example/callback?code=1&id_token=e30.e30.e30")
      }
    },
    PlantedFault("every mode is a query", ["provider.response"]) { _ in
      { request, next in
        guard request.isTo("oauth2/v2.0/authorize"), request.parameter("response_mode") != nil || request.parameter("response_type") != "code"
        else { return next(request) }
        let token = "eyJhbGciOiJSUzI1NiJ9.eyJub25jZSI6IngiLCJjX2hhc2giOiJ4In0.e30"
        if request.parameter("response_mode") == "query", request.parameter("response_type") == "code" {
          return .redirect(to: "https://conform.example/callback#code=1")
        }
        return .redirect(to: "https://conform.example/callback?code=1&id_token=\(token)")
      }
    },
    // Other endpoints.
    response("userinfo is wrong", "openid/v2.0/userinfo", ["userinfo"]) { _, response in
      response["Cache-Control"] = "public"
      response["Content-Type"] = "text/plain"
      response["WWW-Authenticate"] = response.status >= 400 ? "Bearer error=\"conform\"" : nil
      if response.status == 401 { response.status = 403 }
      response = response.with { members in
        members["sub"] = "other"
        members["email"] = .null
      }
    },
    response("introspection is wrong", "oauth2/v2.0/introspection", ["introspection"]) { _, response in
      if response.status == 401 { response.status = 400 }
      response = response.with { members in
        members["exp"] = "soon"
        members["active"] = members["active"] == true ? "yes" : members["active"]
        members["scope"] = "conform"
      }
    },
    response("the pushed request is answered badly", "oauth2/v2.0/par", ["par"]) { _, response in
      response["Cache-Control"] = nil
      guard response.status == 201 else { return }
      response = .json(200, ["request_uri": "1", "expires_in": "900"])
    },
    response("the device flow is answered badly", "oauth2/v2.0/devicecode", ["device"]) { _, response in
      response["Cache-Control"] = nil
      guard response.status == 200 else { return }
      response = response.with { members in
        members = [
          "device_code": "1234", "user_code": "0O", "verification_uri": "http://provider.example/404",
          "verification_uri_complete": "http://provider.example/", "interval": "5",
        ]
      }
    },
    response("the page of the device flow is missing", "oauth2/v2.0/devicecode", ["device"]) { request, response in
      response = response.with { $0["verification_uri"] = .string("http://\(request.header("Host") ?? "")/nothing") }
    },
    response("the user is asked badly", "oauth2/v2.0/bc-authorize", ["ciba"]) { _, response in
      response = response.status == 200 ? .json(200, [:]) : .json(400, ["error": "conform"])
    },
    response("registration is answered badly", "oauth2/v2.0/register", ["registration"]) { request, response in
      response["Cache-Control"] = nil
      if request.method == "POST", response.status == 201 {
        response.status = 200
        response = response.with { members in
          members["redirect_uris"] = []
          members["client_secret"] = "conform"
          members["client_secret_expires_at"] = nil
          members["client_id"] = "conform-chosen"
        }
      } else if request.method == "DELETE", response.status == 204 {
        response.status = 200
      } else if request.method != "POST", response.status == 401 {
        response = .json(200, [:])
      }
    },
    PlantedFault("sign-out leads anywhere", ["provider.logout"]) { _ in
      { request, next in
        guard request.isTo("oauth2/v2.0/logout"), let target = request.parameter("post_logout_redirect_uri") else {
          return next(request)
        }
        return .redirect(to: target)
      }
    },
    PlantedFault("exchange gives bare tokens", ["provider.exchange", "provider.credentials", "provider.dpop"]) { _ in
      { request, next in
        guard request.isTo(tokenPath), request.parameter("grant_type") != "authorization_code" || request.header("DPoP") != nil
        else { return next(request) }
        return .json(200, [
          "access_token": "eyJhbGciOiJSUzI1NiJ9.e30.e30", "token_type": "Bearer", "refresh_token": "x", "id_token": "y", "scope": "conform:unknown",
        ])
      }
    },
    PlantedFault("pages are open", ["provider.pages"]) { _ in
      { request, next in
        let response = next(request)
        guard request.isTo("oauth2/v2.0/authorize") else { return response }
        let page = """
          <html><script src="https://other.example/x.js"></script><form action="https://other.example/login"></form>
          \(request.parameter("client_id") ?? "")</html>
          """
        return ServerResponse(
          status: 200, headers: [("Content-Type", "text/html"), ("Set-Cookie", "a=b"), ("Cache-Control", "public")],
          body: Array(page.utf8))
      }
    },
    PlantedFault("TRACE is answered", ["provider.pages"]) { _ in
      { request, next in request.method == "TRACE" ? ServerResponse(status: 200) : next(request) }
    },
  ]
}
