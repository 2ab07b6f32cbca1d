import Foundation

extension Transcript {
  /// Runs the commands of a scene in one shell. Returns the lines that each of them printed.
  func output(of scene: Scene) throws -> [[String]] {
    let (program, place) = (try Program(), try Program())
    for (index, step) in scene.steps.enumerated() { try place.write("\(index)", step.command + "\n") }
    let result = try program.run(
      list: ["120", "/bin/bash", "-c", Self.shell, place.folder.path, String(scene.steps.count)],
      executable: URL(filePath: "/usr/bin/timeout"),
      environment: [
        "PATH": "\(Program.binary.deletingLastPathComponent().path):/usr/bin:/bin", "PROJECT": Program.project.path,
      ])
    return scene.steps.indices.map { index in
      func lines(_ name: String) -> [String] {
        let data = (try? Data(contentsOf: place.folder.appending(path: "\(index).\(name)"))) ?? Data()
        var text = String(decoding: data, as: UTF8.self)
        if !text.isEmpty, !text.hasSuffix("\n") { text += " (no newline)\n" }
        return readable(text, in: program.folder.path).components(separatedBy: "\n").dropLast()
      }
      var all = lines("output") + lines("errors").map { $0.isEmpty ? "!" : "! \($0)" }
      let status = lines("status").first ?? "the shell has ended: \(result)"
      if status != "0" { all.append("[\(status)]") }
      all.dropTrailingBlankLines()
      return all
    }
  }

  /// `tenant OPTIONS` starts a tenant, whose settings become those of the scene, and `sign_in` signs alice in. `job NAME TEXT`
  /// writes a job, where a text that begins with `{` is its declaration; `serve OPTIONS` starts the server of jobs, and
  /// `logged TEXT COUNT` waits for a line of its log. Background processes end with the scene.
  /// `$0` is the folder of the commands, `$1` their number.
  private static let shell = """
    place=$0 count=$1
    trap 'kill -KILL $(jobs -p) 2>/dev/null' EXIT
    tenant() {
      b2c-run --quiet tenant "$@" >settings.plist 2>/dev/null &
      until grep -qs '</plist>' settings.plist; do sleep 0.02; done
    }
    sign_in() {
      b2c-run --quiet -e "b2c.accounts.sign_in { agent = 'headless', username = '${1-alice}', password = '${2-Wonderland-1}' }"
    }
    serve() {
      : >serve.log
      b2c-run serve "$@" >/dev/null 2>>serve.log &
      logged 'serving the jobs'
    }
    logged() {
      until (($(grep -cF -- "$1" serve.log) >= ${2-1})); do sleep 0.02; done
    }
    job() {
      mkdir -p jobs
      { case $2 in "{"*) printf 'local b2c = require "b2c"\\nlocal run = b2c.job ' ;; esac; printf '%s\\n' "$2"; } >"jobs/$1.lua"
    }
    for ((index = 0; index < count; index++)); do
      . "$place/$index" >"$place/$index.output" 2>"$place/$index.errors" </dev/null
      echo $? >"$place/$index.status"
    done
    """

  private func readable(_ text: String, in folder: String) -> String {
    text.withoutLogTimes.replacing(folder, with: "$HOME").replacing(Program.project.path, with: "$PROJECT")
      .replacing(#/(127\.0\.0\.1|localhost):\d{4,5}\b/#) { "\($0.1):PORT" }
  }
}

/// A line of the expected output, the actual output, or both.
struct Aligned: CustomStringConvertible {
  var expected: String?
  var actual: String?
  /// True if the lines do not match.
  var isDifferent: Bool

  var isExpected: Bool { expected != nil }

  var description: String {
    isDifferent ? (expected.map { "- \($0)" } ?? "+ \(actual ?? "")") : "  \(expected ?? actual ?? "")"
  }

  /// The line in the updated file; nil for none.
  var updated: String? { isDifferent ? actual : expected }

  /// Compares lines such that as few as possible differ.
  static func lines(expected: [String], actual: [String]) -> [Aligned] {
    // The number of differences from here to the end.
    var cost = Array(repeating: Array(repeating: 0, count: actual.count + 1), count: expected.count + 1)
    func isGap(_ line: String) -> Bool { line == "..." || line == "! ..." }
    for i in expected.indices.reversed() {
      cost[i][actual.count] = cost[i + 1][actual.count] + (isGap(expected[i]) ? 0 : 1)
    }
    for j in actual.indices.reversed() { cost[expected.count][j] = actual.count - j }
    let patterns = expected.map { $0.components(separatedBy: "[..]") }
    for i in expected.indices.reversed() {
      for j in actual.indices.reversed() {
        let best = min(cost[i + 1][j], cost[i][j + 1])
        cost[i][j] = isGap(expected[i]) ? best : best + 1
        if matches(patterns[i], actual[j]) { cost[i][j] = min(cost[i][j], cost[i + 1][j + 1]) }
      }
    }
    var (i, j) = (0, 0)
    var aligned: [Aligned] = []
    while i < expected.count || j < actual.count {
      if i < expected.count, isGap(expected[i]) {
        // The lines of a gap are left out.
        while cost[i + 1][j] > cost[i][j] { j += 1 }
        aligned.append(Aligned(expected: expected[i], isDifferent: false))
        i += 1
      } else if i < expected.count, j < actual.count, cost[i][j] == cost[i + 1][j + 1], matches(patterns[i], actual[j])
      {
        aligned.append(Aligned(expected: expected[i], actual: actual[j], isDifferent: false))
        (i, j) = (i + 1, j + 1)
      } else if j == actual.count || i < expected.count && cost[i + 1][j] <= cost[i][j + 1] {
        aligned.append(Aligned(expected: expected[i], isDifferent: true))
        i += 1
      } else {
        aligned.append(Aligned(actual: actual[j], isDifferent: true))
        j += 1
      }
    }
    return aligned
  }

  /// The parts of a pattern, and any text between them.
  private static func matches(_ parts: [String], _ line: String) -> Bool {
    guard parts.count > 1, let last = parts.last else { return parts.first == line }
    guard line.hasPrefix(parts[0]), line.utf8.count >= parts[0].utf8.count + last.utf8.count, line.hasSuffix(last)
    else {
      return false
    }
    var rest = line.dropFirst(parts[0].count).dropLast(last.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let found = rest.range(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }
}
