import Core
import HostLoop
package import JSON

/// The findings of `check` as SARIF 2.1.0, which code hosts show beside the lines.
package enum CheckSARIF {
  private static let schema = "https://json.schemastore.org/sarif-2.1.0.json"

  /// - Parameter version: of the program.
  @HostActor
  package static func json(_ findings: [(file: String, finding: ScriptChecker.Finding)], version: String) -> JSON {
    let codes = Set(findings.map(\.finding.code)).sorted()
    return [
      "$schema": .string(schema), "version": "2.1.0",
      "runs": [
        [
          "tool": [
            "driver": [
              "name": "b2c-run check", "version": .string(version), "rules": .array(codes.map { ["id": .string($0)] }),
            ]
          ],
          "results": .array(findings.map { result($0.file, $0.finding) }),
        ]
      ],
    ]
  }

  @HostActor
  private static func result(_ file: String, _ finding: ScriptChecker.Finding) -> JSON {
    [
      // The codes that begin with 0 are mistakes of the syntax.
      "ruleId": .string(finding.code), "level": finding.code.hasPrefix("0") ? "error" : "warning",
      "message": ["text": .string(finding.message)],
      "locations": [
        [
          "physicalLocation": [
            "artifactLocation": ["uri": .string(uri(file))],
            "region": ["startLine": .integer(Int64(finding.line)), "startColumn": .integer(Int64(finding.column))],
          ]
        ]
      ],
    ]
  }

  /// A relative path as a URI (RFC 3986, 3.3), without the `./` in front.
  private static func uri(_ path: String) -> String {
    let all = path.pathBytes
    let bytes = all.starts(with: Array("./".utf8)) ? all.dropFirst(2) : all[...]
    return bytes.reduce(into: "") { uri, byte in
      let isPlain = byte < 0x80 && (byte.isWordPart || "/-._~".utf8.contains(byte))
      let digits = String(byte, radix: 16, uppercase: true)
      uri += isPlain ? String(UnicodeScalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
    }
  }
}
