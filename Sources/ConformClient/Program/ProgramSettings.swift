import Core
import Files
import Glibc
package import HTTPServer

/// The program under test, and how it gets the addresses of the local tenant.
package struct ProgramSettings: Sendable {
  /// The words of the command, with placeholders such as `{issuer}`.
  package var words: [String]
  /// Variables of the environment, with placeholders.
  package var variables: [(name: String, value: String)] = []
  /// Files that are written before each start, with placeholders in their texts.
  package var files: [(path: String, text: String)] = []
  /// The current folder of the program.
  package var folder: String
  package var environment: [String: String]
  package var output = OutputSigns()
  /// The page of a web application that the browser opens.
  package var visit: String?
  /// Seconds for each run.
  package var timeout = 20.0
  /// The most runs at the same time; nil for the number of processors.
  package var concurrency: Int?
  package var tenant = Tenant()
  /// The certificate of the tenant, and the file with it that the program must trust; nil for http.
  package var certificate: (identity: TLSIdentity, path: String)?
  /// True if the program is a confidential client.
  package var isConfidential = false

  /// The tenant that the program signs in at.
  package struct Tenant: Sendable {
    /// True for a tenant of Azure AD B2C, false for one of External ID; see `--kind`.
    package var isB2C = false
    /// True if the tenant is an MCP server, too, whose client the program is.
    package var isMCP = false
  }

  package init(words: [String], folder: String, environment: [String: String]) {
    self.words = words
    self.folder = folder
    self.environment = environment
  }

  /// The path of a program, as a shell would find it; nil if there is none.
  package static func find(_ program: String, in path: String?) -> String? {
    let candidates =
      program.contains("/")
      ? [program] : (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map { "\($0)/\(program)" }
    return candidates.first { FileSystem.access($0, X_OK) == 0 && FileSystem.kind(of: $0) == S_IFREG }
  }
}

/// The meaning of what a program prints.
package struct OutputSigns: Sendable {
  /// The output that says that the program is ready for `--visit`.
  package var ready: OutputPattern?
  /// The output that means that the user is signed in, or is not.
  package var success: OutputPattern?
  package var failure: OutputPattern?
  /// True if the browser opens an address that the program prints.
  package var hasURL = false

  package init() {}
}

/// A regular expression that output is compared with.
package struct OutputPattern: Sendable {
  package let text: String

  /// - Returns: nil for a text that is not a regular expression.
  package init?(_ text: String) {
    guard (try? Regex(text)) != nil else { return nil }
    self.text = text
  }

  func matches(_ output: String) -> Bool { (try? Regex(text).firstMatch(in: output)) ?? nil != nil }
}

/// The values of the placeholders of one run.
package struct ProgramValues: Sendable {
  package let values: [(name: String, value: String)]

  /// Replaces `{issuer}` and the others; other braces stay.
  func fill(_ text: String) -> String {
    var rest = Substring(text)
    var filled = ""
    while let open = rest.firstIndex(of: "{") {
      filled += rest[..<open]
      let inner = rest[open...].dropFirst()
      if let close = inner.firstIndex(of: "}"), let value = values.first(where: { $0.name == inner[..<close] })?.value {
        filled += value
        rest = inner[close...].dropFirst()
      } else {
        filled += "{"
        rest = inner
      }
    }
    return filled + rest
  }

  /// `CONFORM_ISSUER` and the others.
  var variables: [String: String] {
    Dictionary(values.map { ("CONFORM_\($0.name.uppercased())", $0.value) }) { first, _ in first }
  }
}
