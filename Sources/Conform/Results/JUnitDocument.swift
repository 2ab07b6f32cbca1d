import Core

/// JUnit's XML, as pipelines read it.
package struct JUnitDocument {
  package enum State {
    case passed
    /// Passed, with a remark.
    case noted(String)
    case failed(String, type: String, text: String)
    /// No answer.
    case error(String, text: String)
    case skipped(String)
  }

  private let name: String
  private var cases: [String] = []
  private var (failures, errors, skipped) = (0, 0, 0)

  package init(_ name: String) { self.name = name }

  package mutating func add(_ group: String, _ name: String, _ state: State) {
    let head = "<testcase classname=\"\(Self.escape(group))\" name=\"\(Self.escape(name))\""
    switch state {
    case .passed: cases.append("\(head)/>")
    case .noted(let text): cases.append("\(head)><system-out>\(Self.escape(text))</system-out></testcase>")
    case .failed(let message, let type, let text):
      failures += 1
      let attributes = "message=\"\(Self.escape(message))\" type=\"\(Self.escape(type))\""
      cases.append("\(head)><failure \(attributes)>\(Self.escape(text))</failure></testcase>")
    case .error(let message, let text):
      errors += 1
      cases.append("\(head)><error message=\"\(Self.escape(message))\">\(Self.escape(text))</error></testcase>")
    case .skipped(let message):
      skipped += 1
      cases.append("\(head)><skipped message=\"\(Self.escape(message))\"/></testcase>")
    }
  }

  package var text: String {
    let counts = "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" skipped=\"\(skipped)\""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(counts)>
      <testsuite name="\(Self.escape(name))" \(counts)>
      \(cases.joined(separator: "\n"))
      </testsuite>
      </testsuites>

      """
  }

  /// The text without characters that XML 1.0 does not have.
  private static func escape(_ text: String) -> String {
    let scalars = text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" }
    return HTMLText.escape(String(String.UnicodeScalarView(scalars)))
  }
}
