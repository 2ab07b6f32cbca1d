import Foundation
import Testing

/// A file with command lines and their expected output. Indented lines are for the program, all other lines are prose:
///
///     # The title of a scene, which begins in an empty folder
///
///       $ b2c-run --frobnicate
///       ! b2c-run: unknown option --frobnicate
///       [2]
///
/// A command begins with `$ `, and continues in lines that begin with `> `. Its output follows: the lines of standard output,
/// those of standard error behind `! `, and the exit status in brackets if it is not 0. In expected lines, `[..]` stands for
/// any text, and a line `...` for any lines. Times of log lines are left out; `$HOME` is the folder of the scene, `$PROJECT`
/// the folder of the project, and `PORT` a port of 127.0.0.1 that differs in each run.
///
/// `UPDATE_TRANSCRIPTS=1` writes the actual output into the files. `TRANSCRIPTS=usage,check` selects files by name.
package struct Transcript: Sendable, CustomTestStringConvertible {
  struct Step: Sendable {
    /// The number of the line behind the command, where its output begins.
    var line: Int
    var command: String
    var expected: [String]
  }

  struct Scene: Sendable {
    var title: String
    var steps: [Step]
  }

  let file: URL
  private let lines: [String]
  let scenes: [Scene]

  package var testDescription: String { file.deletingPathExtension().lastPathComponent }

  /// The transcripts of a test target.
  package static func all(of target: String) -> [Transcript] {
    let folder = Program.project.appending(path: "Tests/\(target)/Transcripts")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let selected = ProcessInfo.processInfo.environment["TRANSCRIPTS"]?.split(separator: ",").map { "\($0).transcript" }
    return names.sorted().filter { selected?.contains($0) ?? $0.hasSuffix(".transcript") }
      .compactMap { try? Transcript(folder.appending(path: $0)) }
  }

  init(_ file: URL) throws {
    self.file = file
    lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    var scenes: [Scene] = []
    var isOutput = false
    for (number, line) in lines.enumerated() {
      if line.hasPrefix("# ") {
        scenes.append(Scene(title: String(line.dropFirst(2)), steps: []))
      } else if line.hasPrefix("  $ ") {
        if scenes.isEmpty { scenes.append(Scene(title: "", steps: [])) }
        scenes[scenes.count - 1].steps.append(Step(line: number + 1, command: String(line.dropFirst(4)), expected: []))
        isOutput = false
      } else if !scenes.isEmpty, let step = scenes[scenes.count - 1].steps.indices.last {
        if !isOutput, line == "  >" || line.hasPrefix("  > ") {
          scenes[scenes.count - 1].steps[step].command += "\n" + line.dropFirst(4)
          scenes[scenes.count - 1].steps[step].line = number + 1
        } else if line.hasPrefix("  ") || line.isEmpty {
          isOutput = true
          scenes[scenes.count - 1].steps[step].expected.append(String(line.dropFirst(2)))
        }
      }
    }
    for scene in scenes.indices {
      for step in scenes[scene].steps.indices { scenes[scene].steps[step].expected.dropTrailingBlankLines() }
    }
    self.scenes = scenes
  }

  /// Runs all scenes, and compares each output with the expected one.
  package func check() throws {
    var found: [(step: Step, lines: [Aligned])] = []
    for scene in scenes {
      for (step, actual) in zip(scene.steps, try output(of: scene)) {
        let aligned = Aligned.lines(expected: step.expected, actual: actual)
        found.append((step, aligned))
        guard !Self.isUpdating, let first = aligned.firstIndex(where: { $0.isDifferent }) else { continue }
        let line = step.line + 1 + aligned[..<first].count { $0.isExpected }
        let text = aligned.map(\.description).joined(separator: "\n")
        Issue.record(
          "\(scene.title): $ \(step.command)\n\(text)",
          sourceLocation: SourceLocation(
            fileID: "Transcripts/\(file.lastPathComponent)", filePath: file.path, line: line, column: 1))
      }
    }
    if Self.isUpdating { try update(found) }
  }

  private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_TRANSCRIPTS"] == "1"

  private func update(_ found: [(step: Step, lines: [Aligned])]) throws {
    var updated = lines
    for (step, aligned) in found.reversed() {
      let text = aligned.compactMap(\.updated).map { $0.isEmpty ? "" : "  \($0)" }
      updated.replaceSubrange(step.line..<(step.line + step.expected.count), with: text)
    }
    guard updated != lines else { return }
    try Data(updated.joined(separator: "\n").utf8).write(to: file)
  }
}

extension [String] {
  mutating func dropTrailingBlankLines() { while last?.isEmpty == true { removeLast() } }
}
