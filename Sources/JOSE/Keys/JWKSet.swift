import Core
package import JSON

/// The keys an issuer publishes (RFC 7517, 5).
package struct JWKSet: Sendable {
  package let keys: [JWK]
  /// The reasons why published keys cannot be used, by key ID.
  package private(set) var refused: [String: JOSEError] = [:]

  package init(_ keys: [JWK]) { self.keys = keys }

  /// Reads `{"keys": […]}`. As the RFC asks, keys of an unknown type, incomplete keys and weak keys are left out.
  package init(_ json: JSON) throws(JOSEError) {
    guard let elements = json["keys"]?.array else {
      throw JOSEError(.invalidKey, "a key set needs the member \"keys\", an array")
    }
    var keys: [JWK] = []
    for element in elements {
      do throws(JOSEError) { keys.append(try JWK(element)) } catch {
        if let keyID = element["kid"]?.string { refused[keyID] = error }
      }
    }
    self.keys = keys
  }

  /// `{"keys": […]}` with the public halves only.
  package func published() throws(JOSEError) -> JSON {
    var elements: [JSON] = []
    for key in keys { elements.append(try key.publicKey.json) }
    return ["keys": .array(elements)]
  }
}
