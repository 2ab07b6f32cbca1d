/// The rule for names, paths and IDs by which the store looks things up. The indexes of a database have no room for long
/// ones, and PostgreSQL stores no NUL.
package enum StoredName {
  /// In bytes of UTF-8.
  package static let most = 500

  /// The reason why a text cannot be a name; nil if it can.
  package static func problem(_ text: String) -> String? {
    if text.utf8.contains(0) { return "contains a NUL character" }
    let count = text.utf8.count
    return count > most ? "is \(count) bytes long, more than \(most)" : nil
  }

  /// Throws `bad_name` for a text that cannot be a name. `subject` begins the message.
  static func check(_ text: String, _ subject: String) throws(JobError) {
    guard let problem = problem(text) else { return }
    throw JobError("bad_name", "\(subject) \(problem)", hint: "give a shorter name, without control characters")
  }
}
