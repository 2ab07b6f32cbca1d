import Synchronization

/// The secrets that this process knows, and which of them its scripts may know.
package enum Redaction {
  package static let placeholder = "[secret]"

  /// All secrets of the host. `OutputText` replaces them.
  static let output = Redactor()

  /// The secrets that scripts of this run may know.
  static let scripts = Redactor()

  /// The passwords that a person typed into a session, after `rememberGiven`.
  static let given = Redactor()
  private static let isRemembering = Atomic(false)

  /// Keeps texts that are passed in as secrets out of the history of a session with a person.
  package static func rememberGiven() { isRemembering.store(true, ordering: .relaxed) }

  static func note(given text: String) {
    if isRemembering.load(ordering: .relaxed), text.utf8.count <= 4096 { given.register(text) }
  }

  /// Adds a secret of the host's that scripts may not know.
  package static func register(_ secret: String) { output.register(secret) }

  /// Adds a secret that scripts of this run may have: they can read it by another call.
  package static func share(_ secret: String) {
    output.register(secret)
    scripts.register(secret)
  }

  /// Returns `text` for a script: an error, a message, an excerpt of a response. Only secrets that the script may have
  /// are replaced. By any other secret a script could guess it: it would see whether its guess is replaced.
  package static func forScripts(_ text: String) -> String { scripts.clean(text) }

  /// Returns the beginning of a response for a script's message. Secrets are replaced before it is cut.
  /// - Parameter bytes: UTF-8, of which no more than 64 KiB is looked at.
  package static func forScripts(beginningOf bytes: some Collection<UInt8>) -> String {
    forScripts(String(decoding: bytes.prefix(64 << 10), as: UTF8.self))
  }
}
