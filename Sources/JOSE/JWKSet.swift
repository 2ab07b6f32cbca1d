package import JSON

/// The keys an issuer publishes (RFC 7517, 5).
package struct JWKSet: Sendable {
  package let keys: [JWK]
  /// Why a published key of that ID cannot be used; keys of unknown types are not among them.
  package private(set) var refused: [String: JOSEError] = [:]

  package init(_ keys: [JWK]) { self.keys = keys }

  /// Reads `{"keys": […]}`. Keys of an unknown type, with members missing, or that prove nothing are left out, as the RFC
  /// asks.
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
