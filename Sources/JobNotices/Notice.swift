import Core
package import JSON

/// A notice that a job declares: the results of its runs that somebody hears of, and the address.
package struct Notice: Sendable, Equatable {
  package enum Result: String, Sendable, CaseIterable { case failure, recovery, success, any }

  /// A problem with an entry of the declaration.
  package struct Problem: Error {
    package let key: String
    package let message: String
    package let hint: String?
  }

  package let on: Result
  /// The address as the declaration has it. It may contain a token, and is not for messages.
  package let to: String
  fileprivate let target: Target

  fileprivate struct Target: Equatable {
    let url: String
    let host: String
    let isPlain: Bool
  }

  /// The permission to send the notice, as a flag.
  package var need: String { "--allow-net=\(target.host)" }

  /// - Parameter json: `on` and `to`.
  package init(_ json: JSON) throws(Problem) {
    guard let members = json.object else {
      throw Problem(key: "", message: "expected a table", hint: Self.example)
    }
    if let other = members.keys.sorted().first(where: { !["on", "to"].contains($0) }) {
      throw Problem(
        key: other.displayable.clipped(to: 60), message: "there is no such key",
        hint: didYouMean(other, among: ["on", "to"]) ?? "the keys are on, to")
    }
    let names = Result.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    let name = members["on"].map { $0.string ?? "" } ?? Result.failure.rawValue
    guard let on = Result(rawValue: name) else {
      throw Problem(
        key: "on", message: "expected \(names), got \"\(name.displayable.clipped(to: 60))\"",
        hint: didYouMean(name, among: Result.allCases.map(\.rawValue)))
    }
    guard let to = members["to"]?.string, to.utf8.count <= 500 else {
      throw Problem(key: "to", message: "expected an address of at most 500 bytes", hint: Self.example)
    }
    guard let target = Target(to) else {
      throw Problem(
        key: "to", message: "expected an address with https://, or ntfy:TOPIC",
        hint: "http:// is for this machine only; a job with after = \"NAME\" can send mail")
    }
    (self.on, self.to, self.target) = (on, to, target)
  }

  private static let example = "for example { on = \"failure\", to = \"https://hooks.example.com/notice\" }"

  /// True if somebody hears of a run with this result.
  package func concerns(isFailure: Bool, hasRecovered: Bool) -> Bool {
    switch on {
    case .failure: isFailure
    case .recovery: hasRecovered
    case .success: !isFailure
    case .any: true
    }
  }

  /// The address of the request, and whether its body is plain text.
  package var request: (url: String, isPlain: Bool) { (target.url, target.isPlain) }

  /// The address without its path, which may contain a token.
  package var shown: String { target.host }
}

extension Notice.Target {
  /// Nil for an address to which no notice goes.
  fileprivate init?(_ text: String) {
    isPlain = text.hasPrefix("ntfy:")
    let rest = isPlain ? String(text.dropFirst(5)) : text
    url = isPlain && !rest.contains("://") ? "https://ntfy.sh/\(rest)" : rest
    guard let match = url.wholeMatch(of: #/(https?):\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:\d+)?(/[\x21-\x7e]*)?/#)
    else {
      return nil
    }
    host = String(match.2)
    guard match.1 == "https" || ["localhost", "127.0.0.1", "[::1]"].contains(host) else { return nil }
  }
}
