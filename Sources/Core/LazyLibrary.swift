import Glibc

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
    if let reason { throw failure("\(name) cannot be loaded: \(reason)", Self.hint(reason, debianPackage)) }
  }

  /// A library that is installed needs no package: it has no room.
  private static func hint(_ reason: String, _ package: String) -> String {
    var limit = rlimit()
    guard !reason.contains("No such file or directory"),
      getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur < rlim_t(Int64.max)
    else { return "install the package \(package)" }
    return "the limit of the address space is \(limit.rlim_cur >> 20) MiB, which is too little: raise it (ulimit -v)"
  }
}
