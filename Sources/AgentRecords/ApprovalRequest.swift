import Core
import Crypto
package import JSON

/// A change that waits for the approval of a person.
package struct ApprovalRequest: Sendable, Equatable {
  /// The name of this request. A second request for the same change has another name.
  package let id: String
  /// `sha256:` and 64 digits: the digest of the plan, or of the call of a script.
  package let digest: String
  /// The change in a sentence.
  package let title: String
  /// The change as it is, for people.
  package let text: String
  /// The session that has asked, and how its client names itself.
  package let session: String
  package let client: String
  /// Unix seconds.
  package let created: Int

  package init(digest: String, title: String, text: String, session: String, client: String) {
    id = String(Base64URL.encode(SecureRandom.bytes(9)).map { $0 == "-" || $0 == "_" ? "x" : $0 })
    self.digest = digest
    self.title = title
    self.text = text
    self.session = session
    self.client = client
    created = Int(UnixTime.now.seconds)
  }

  /// Throws if the object lacks a member of a request.
  init(_ json: JSON, id: String) throws(AgentRecordError) {
    guard let digest = json["digest"]?.string, let title = json["title"]?.string, let text = json["text"]?.string,
      let session = json["session"]?.string, let client = json["client"]?.string,
      let created = json["created"]?.lenientInteger
    else { throw AgentRecordError(.unreadable, "the request \(id) cannot be read") }
    self.id = id
    self.digest = digest
    self.title = title
    self.text = text
    self.session = session
    self.client = client
    self.created = Int(created)
  }

  package var json: JSON {
    [
      "digest": .string(digest), "title": .string(title), "text": .string(text), "session": .string(session),
      "client": .string(client), "created": .integer(Int64(created)),
    ]
  }

  /// The digest as people compare it: its first 12 digits.
  package var shortDigest: String { Self.short(digest) }

  package static func short(_ digest: String) -> String { String(digest.drop { $0 != ":" }.dropFirst().prefix(12)) }
}

/// The answer of a person to a request.
package struct ApprovalAnswer: Sendable, Equatable {
  package let isApproved: Bool
  /// The person and the way: `ann, on a terminal`.
  package let by: String

  package init(isApproved: Bool, by: String) {
    self.isApproved = isApproved
    self.by = by
  }
}
