import Core
import HostLoop
import JOSE
import JSON
import OAuth
import Testing

/// Request objects (RFC 9101) for providers with other algorithms and requirements than the local tenant.
@Suite struct RequestObjectTests {
  @HostActor private func client(
    _ provider: Provider, _ metadata: [String: JSON], keys: [JSON] = [], key: PrivateKey? = nil
  ) throws -> OAuth.Provider {
    let issuer = "\(provider.url)/plain"
    let document: [String: JSON] = [
      "issuer": .string(issuer), "authorization_endpoint": .string("\(provider.url)/authorize"),
      "jwks_uri": .string("\(provider.url)/published"),
    ]
    provider.answer(
      "/plain/.well-known/openid-configuration", JSON.object(document.merging(metadata) { $1 }).encoded())
    provider.answer("/published", JSON.object(["keys": .array(keys)]).encoded())
    let client = try provider.client([
      "authority": .string(issuer), "policies": .null, "clientKey": "stored:mine", "scopes": ["openid", "read"],
    ])
    let own = try key ?? .generate(.ec(curve: "P-256"))
    client.credentials.loadKey = { _ in own }
    return client
  }

  private func publicKey(_ key: PrivateKey, _ members: [String: JSON]) throws -> JSON {
    .object((try key.publicHalf().json.object ?? [:]).merging(members) { $1 })
  }

  @Test @HostActor func theProviderChoosesTheSignature() async throws {
    let provider = try Provider()
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    let metadata: [String: JSON] = ["request_object_signing_alg_values_supported": ["PS256", "ES256"]]
    let object = try await RequestObject(client(provider, metadata, key: key)).text(AuthorizationRequest())
    #expect(try JWT(decoding: object).header["alg"] == "PS256")
    let other = try client(provider, ["request_object_signing_alg_values_supported": ["EdDSA", "none"]], key: key)
    await #expect(throws: OAuthError.self) { try await RequestObject(other).text(AuthorizationRequest()) }
    do { _ = try await RequestObject(other).text(AuthorizationRequest()) } catch {
      #expect(error.code == "algorithm_not_allowed")
      #expect(error.message.contains("(request_object_signing_alg_values_supported): expected RS256, "))
      #expect(error.message.hasSuffix("got EdDSA, none"))
    }
  }

  @Test @HostActor func theProviderChoosesTheEncryption() async throws {
    let provider = try Provider()
    let (rsa, ec) = (try PrivateKey.generate(.rsa(bits: 2048)), try PrivateKey.generate(.ec(curve: "P-256")))
    let keys = [
      try publicKey(rsa, ["use": "sig", "kid": "signing"]), try publicKey(ec, ["use": "enc", "kid": "ec"]),
      try publicKey(rsa, ["use": "enc", "kid": "rsa", "alg": "RSA-OAEP-256"]),
    ]
    let metadata: [String: JSON] = [
      "request_object_encryption_alg_values_supported": ["RSA1_5", "RSA-OAEP-256"],
      "request_object_encryption_enc_values_supported": ["A128CBC-HS256"],
    ]
    let client = try client(provider, metadata, keys: keys)
    let sealed = try await RequestObject(client).text(AuthorizationRequest(), isEncrypted: true)
    let (plain, header) = try JWE.decrypt(sealed, key: rsa)
    #expect(header["alg"] == "RSA-OAEP-256" && header["enc"] == "A128CBC-HS256" && header["kid"] == "rsa")
    #expect(header["cty"] == "JWT")
    #expect(try JWT(decoding: String(decoding: plain, as: UTF8.self)).claims["client_id"] == "app")
    let without = try self.client(provider, [:], keys: [keys[0]])
    do {
      _ = try await RequestObject(without).text(AuthorizationRequest(), isEncrypted: true)
      Issue.record("nothing was thrown")
    } catch { #expect(error.code == "key_not_found") }
  }

  @Test @HostActor func aKnownRequirementTurnsThemOn() async throws {
    let provider = try Provider()
    let client = try client(provider, ["require_signed_request_object": true])
    var request = AuthorizationRequest()
    request.parameters = ["claims": #"{"id_token":{"acr":null}}"#, "additional": "1"]
    let url = WebAddress(try await AuthorizationEndpoint(client).url(request))
    #expect(url.fields.map(\.name) == ["client_id", "response_type", "scope", "request"])
    let claims = try JWT(decoding: url.field("request") ?? "").claims
    #expect(claims["claims"]?["id_token"] == ["acr": nil])
    #expect(claims["additional"] == "1")
    // Without OpenID Connect, nothing but the client's ID stands beside the object (RFC 9101, 5).
    request.scopes = ["read"]
    let plain = WebAddress(try await AuthorizationEndpoint(client).url(request))
    #expect(plain.fields.map(\.name) == ["client_id", "request"])
    request.requestObject = .absent
    #expect(try await !AuthorizationEndpoint(client).url(request).contains("request="))
  }
}
