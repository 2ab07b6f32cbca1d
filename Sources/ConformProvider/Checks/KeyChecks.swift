import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// The document of the provider's keys.
enum KeyChecks {
  private static let topic = Topic(
    "provider.keys", "Keys", danger: .passive, wrong: .provider,
    means: "Clients cannot check signatures, or check them with a key that others have.",
    change: [
      "In general": "Publish public keys alone, each with kid, use and alg, and keep the last one during a rotation.",
      "B2C": "Keys of custom policies are made in the policy's key container; use keys of 2048 bits and more.",
    ])

  private static let jwk = "RFC 7517, 4 and 5"

  static let keys: [ProviderCheck] = documentOfKeys + eachKey

  private static let documentOfKeys: [ProviderCheck] = [
    .init(
      topic, "uri", "The metadata has jwks_uri", "looks for jwks_uri",
      .must("jwks_uri is required", "OpenID Connect Discovery 1.0, 3"), .openID
    ) { $0.required("jwks_uri") },
    .init(
      topic, "document", "The keys can be fetched", "fetches jwks_uri",
      .must("the document is a JWK set with the member keys", "RFC 7517, 5"), needs: ["jwks_uri"]
    ) { trial in
      guard let answer = trial.provider.keysAnswer else { return .unclear("jwks_uri does not answer") }
      if let unclear = answer.unclear { return unclear }
      return trial.finding(
        answer["keys"]?.array != nil, "\(trial.provider.keys.count) keys", "no JWK set: \(answer.shown)")
    },
    .init(
      topic, "some", "There is a key", "counts the keys",
      .must("the set has the keys that sign", "OpenID Connect Discovery 1.0, 3"),
      needs: ["jwks_uri"]
    ) { trial in
      let count = try trial.keys().count
      return trial.finding(count > 0, "\(count) keys", "the set is empty")
    },
    .init(
      topic, "content-type", "The keys have a JSON content type", "reads the content type of the keys",
      .should("the media type is application/jwk-set+json or application/json", "RFC 7517, 8.5"), needs: ["jwks_uri"]
    ) { trial in
      let type = trial.provider.keysAnswer?.mediaType ?? ""
      return trial.finding(["application/json", "application/jwk-set+json"].contains(type), type, "it is '\(type)'")
    },
    .init(
      topic, "cors", "Programs in a browser may read the keys", "fetches the keys with an Origin",
      .may("single-page applications need Access-Control-Allow-Origin", "Fetch Standard, 3.2"), needs: ["jwks_uri"]
    ) { trial in
      let answer = try await trial.get(try trial.endpoint("jwks_uri"), ["Origin": "https://app.example"])
      let allowed = answer.headers["Access-Control-Allow-Origin"]
      return trial.finding(allowed != nil, "they may", "no Access-Control-Allow-Origin")
    },
    .init(
      topic, "cache", "The keys say how long they may be kept", "reads Cache-Control of the keys",
      .should("cache headers tell clients when to fetch keys again", "OpenID Connect Core 1.0, 10.1.1"),
      needs: ["jwks_uri"]
    ) { trial in
      let headers = trial.provider.keysAnswer?.headers ?? [:]
      let has = headers["Cache-Control"] != nil || headers["Expires"] != nil
      return trial.finding(has, "Cache-Control: \(headers["Cache-Control"] ?? "")", "neither Cache-Control nor Expires")
    },
    .init(
      topic, "stable", "The keys are the same each time", "fetches the keys again",
      .should("all servers of the provider publish the same keys", "OpenID Connect Core 1.0, 10.1.1"),
      needs: ["jwks_uri"]
    ) { trial in
      let answer = try await trial.get(try trial.endpoint("jwks_uri"))
      if let unclear = answer.unclear { return unclear }
      let (before, now) = (Set(try trial.keys()), Set(answer["keys"]?.array ?? []))
      return trial.finding(before == now, "the same keys", "other keys came")
    },
    .init(
      topic, "algorithms", "There is a key for each algorithm of ID tokens", "compares keys and algorithms",
      .should("the provider can sign by the algorithms that it lists", "OpenID Connect Discovery 1.0, 3"), .openID,
      needs: ["jwks_uri", "id_token_signing_alg_values_supported"]
    ) { trial in
      let keys = try trial.keys().compactMap { try? JWK($0) }
      let missing = (trial.provider.list("id_token_signing_alg_values_supported") ?? []).filter { name in
        guard let algorithm = SignatureAlgorithm(rawValue: name), algorithm.keyType != "oct" else { return false }
        return !keys.contains { $0.type == algorithm.keyType && ($0.algorithm == nil || $0.algorithm == name) }
      }
      return trial.finding(missing.isEmpty, "there is", "no key for \(missing.joined(separator: ", "))")
    },
  ]

  private static let eachKey: [ProviderCheck] = [
    .init(
      topic, "type", "Each key has kty", "reads the keys", .must("kty is a required member", "RFC 7517, 4.1"),
      needs: ["jwks_uri"]
    ) { try $0.eachKey("no kty") { $0["kty"]?.string != nil } },
    .init(
      topic, "known-type", "Each key is of a known type", "reads kty",
      .should("the types are RSA, EC and OKP", "RFC 7518, 6.1; RFC 8037, 2"), needs: ["jwks_uri"]
    ) { try $0.eachKey("another kty") { ["RSA", "EC", "OKP", "AKP"].contains($0["kty"]?.string) } },
    .init(
      topic, "private", "No private key is published", "looks for private members",
      .must("the set has public keys alone", "OpenID Connect Discovery 1.0, 3; RFC 7517, 9.2"), needs: ["jwks_uri"]
    ) {
      try $0.eachKey("has private members") { key in ["d", "p", "q", "dp", "dq", "qi"].allSatisfy { key[$0] == nil } }
    },
    .init(
      topic, "symmetric", "No symmetric key is published", "looks for kty oct",
      .must("the set has no symmetric keys", "OpenID Connect Discovery 1.0, 3"), needs: ["jwks_uri"]
    ) { try $0.eachKey("is symmetric") { $0["kty"] != "oct" && $0["k"] == nil } },
    .init(
      topic, "kid", "Each key has kid", "reads kid",
      .should("kid lets clients find the key after a rotation", "RFC 7517, 4.5; OpenID Connect Core 1.0, 10.1"),
      needs: ["jwks_uri"]
    ) { try $0.eachKey("no kid") { $0["kid"]?.string != nil } },
    .init(
      topic, "kid-unique", "No two keys of a type have the same kid", "compares kid",
      .should("keys of a set have different kid values", "RFC 7517, 4.5"), needs: ["jwks_uri"]
    ) { trial in
      let names = try trial.keys().map {
        "\($0["kty"]?.string ?? "") \($0["kid"]?.string ?? "") \($0["use"]?.string ?? "")"
      }
      return trial.finding(Set(names).count == names.count, "all differ", "two keys have one kid")
    },
    .init(
      topic, "use", "Each key says what it is for", "reads use",
      .must("with keys for signatures and for encryption, each has use", "OpenID Connect Discovery 1.0, 3"),
      needs: ["jwks_uri"]
    ) { trial in
      let uses = Set(try trial.keys().map { $0["use"]?.string ?? "" })
      guard uses.contains("enc") else { return .kept("no key is for encryption") }
      return trial.finding(!uses.contains(""), "each does", "keys without use beside keys for encryption")
    },
    .init(
      topic, "use-known", "use is sig or enc", "reads use", .should("the values are sig and enc", "RFC 7517, 4.2"),
      needs: ["jwks_uri"]
    ) { try $0.eachKey("another use") { [nil, "sig", "enc"].contains($0["use"]?.string) } },
    .init(
      topic, "use-and-operations", "use and key_ops agree", "reads use and key_ops",
      .should("use and key_ops are not used together", "RFC 7517, 4.3"), needs: ["jwks_uri"]
    ) { try $0.eachKey("has both use and key_ops") { $0["use"] == nil || $0["key_ops"] == nil } },
    .init(
      topic, "algorithm", "alg fits the type of the key", "reads alg and kty",
      .must("alg is an algorithm for the key", "RFC 7517, 4.4; RFC 7518, 3.1"), needs: ["jwks_uri"]
    ) {
      try $0.eachKey("alg does not fit kty") { key in
        guard let name = key["alg"]?.string, let algorithm = SignatureAlgorithm(rawValue: name) else { return true }
        return algorithm.keyType == key["kty"]?.string
      }
    },
    .init(
      topic, "rsa-size", "RSA keys have 2048 bits or more", "measures n",
      .must("a key of 2048 bits or larger is used", "RFC 7518, 3.3 and 3.5"), needs: ["jwks_uri"]
    ) {
      try $0.eachKey("is shorter than 2048 bits") { key in
        guard key["kty"] == "RSA" else { return true }
        return Base64URL.bits(key["n"]?.string) >= 2048
      }
    },
    .init(
      topic, "rsa-exponent", "RSA keys have the exponent 65537 or more", "reads e",
      .should("an exponent below 65537 is weak", "NIST FIPS 186-5, A.1.1"), needs: ["jwks_uri"]
    ) {
      try $0.eachKey("has a small exponent") { key in
        guard key["kty"] == "RSA" else { return true }
        return Base64URL.bits(key["e"]?.string) >= 17
      }
    },
    .init(
      topic, "rsa-form", "n and e have no zero byte in front", "reads n and e",
      .must("the octets have no leading zero", "RFC 7518, 6.3.1.1 and 2"), needs: ["jwks_uri"]
    ) {
      try $0.eachKey("has a zero byte in front") { key in
        ["n", "e"].allSatisfy { key[$0]?.string.map { !Base64URL.beginsWithZero($0) } ?? true }
      }
    },
    .init(
      topic, "base64url", "The members of keys are base64url without padding", "reads n, e, x and y",
      .must("values are base64url without padding", "RFC 7518, 2; RFC 7515, 2"), needs: ["jwks_uri"]
    ) {
      try $0.eachKey("is no base64url") { key in
        ["n", "e", "x", "y"].allSatisfy { name in key[name]?.string.map { !$0.contains { "+/= ".contains($0) } } ?? true
        }
      }
    },
    .init(
      topic, "curve", "EC and OKP keys are on known curves", "reads crv",
      .must("crv names the curve of the key", "RFC 7518, 6.2.1.1; RFC 8037, 2"), needs: ["jwks_uri"]
    ) {
      try $0.eachKey("is on an unknown curve") { key in
        guard ["EC", "OKP"].contains(key["kty"]?.string) else { return true }
        return ["P-256", "P-384", "P-521", "secp256k1", "Ed25519", "Ed448", "X25519", "X448"].contains(
          key["crv"]?.string)
      }
    },
    .init(
      topic, "readable", "Each key can be loaded", "loads each key",
      .must("a key has the members of its type", jwk), needs: ["jwks_uri"]
    ) { try $0.eachKey("cannot be loaded") { key in key["kty"] == "AKP" || (try? JWK(key)) != nil } },
    .init(
      topic, "certificates", "x5c has certificates in base64", "reads x5c",
      .must("x5c has DER in base64, not in base64url", "RFC 7517, 4.7"), needs: ["jwks_uri"]
    ) { trial in
      let chains = try trial.keys().compactMap { $0["x5c"]?.array }
      guard !chains.isEmpty else { return .notUsed("no key has x5c") }
      let isRight = chains.allSatisfy { chain in
        !chain.isEmpty && chain.allSatisfy { $0.string.map { !$0.contains { "-_ \n".contains($0) } } ?? false }
      }
      return trial.finding(isRight, "it has", "x5c is not a list of certificates in base64")
    },
  ]
}
