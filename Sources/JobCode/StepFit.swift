/// A stored step of a run, compared with other code: whether that code can use the result of the step.
package struct StepFit: Sendable, Equatable {
  package let name: String
  /// The stored results of this name.
  package let count: Int
  /// True if the code names the step.
  package let fits: Bool

  /// The functions of `run` that store their results as steps.
  private static let functions = ["run.sleep": "sleep", "run.wait_for": "wait_for"]

  /// Compares steps with source texts. A step fits if its name is a string in them. A name that a script computes is not
  /// found.
  /// - Parameter steps: the names of the stored steps, in their order.
  package static func of(_ steps: [String], in sources: [[UInt8]]) -> [StepFit] {
    let texts = sources.map { String(decoding: $0, as: UTF8.self) }
    var counts: [String: Int] = [:]
    for name in steps { counts[name, default: 0] += 1 }
    var seen: Set<String> = []
    return steps.filter { seen.insert($0).inserted }.map { name in
      let marks = functions[name].map { [$0] } ?? ["\"\(name)\"", "'\(name)'", "[[\(name)]]"]
      return StepFit(
        name: name, count: counts[name] ?? 0, fits: texts.contains { text in marks.contains { text.contains($0) } })
    }
  }
}
