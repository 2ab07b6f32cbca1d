/// The keys an issuer publishes (RFC 7517, 5).
package struct JWKSet: Sendable {
  package let keys: [JWK]

  package init(_ keys: [JWK]) { self.keys = keys }

  /// Reads `{"keys": […]}`. Keys of an unknown type or with members missing are left out, as the RFC asks.
  package init(_ json: JSON) throws(JOSEError) {
    guard let elements = json["keys"]?.array else {
      throw JOSEError(.invalidKey, "a key set needs the member \"keys\", an array")
    }
    keys = elements.compactMap { try? JWK($0) }
  }

  /// `{"keys": […]}` with the public halves only.
  package func published() throws(JOSEError) -> JSON {
    var elements: [JSON] = []
    for key in keys { elements.append(try key.publicKey.json) }
    return ["keys": .array(elements)]
  }
}
