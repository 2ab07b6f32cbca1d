/// A C library that is loaded when it is first used. Linking it would load it at every start.
package struct LazyLibrary: Sendable {
  private let name: String
  private let debianPackage: String
  private let reason: String?

  /// Loads the library. `package` is the package to install if it is missing.
  /// - Parameter load: the function of the library's shim. It returns nil, or why the library cannot be loaded.
  package init(_ name: String, package: String, _ load: () -> UnsafePointer<CChar>?) {
    self.name = name
    debianPackage = package
    reason = load().map { String(cString: $0) }
  }

  package var isLoaded: Bool { reason == nil }

  /// Throws the failure that `failure` makes of a message and a hint if the library cannot be loaded.
  package func demand<E: Error>(_ failure: (_ message: String, _ hint: String) -> E) throws(E) {
    if let reason { throw failure("\(name) cannot be loaded: \(reason)", "install the package \(debianPackage)") }
  }
}
