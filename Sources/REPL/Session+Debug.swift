import Automation
import Core
import Debugger
import HostLoop
import Lua
import Terminal

extension Session {
  /// Reads lines, which see the variables of a place, until one of them says how the script continues.
  func debug(_ place: DebugPlace) async throws -> DebugPlace.Answer {
    self.place = place
    let reader = try LineReader(history: history.entries) { [completer] in completer.complete($0) }
    self.reader = reader
    defer {
      self.place = nil
      self.reader = nil
      lines = []
    }
    console.write("halted at \(place.title); :continue, :step, :next, :out, :bt, :up, :down, :locals, :quit")
    while true {
      beginLine()
      switch try await reader.read(prompt: lines.isEmpty ? "debug> " : "debug>> ") {
      case .cleared:
        lines = []
        StandardOutput.write("^C\n")
      case .end:
        StandardOutput.write("\n")
        guard !lines.isEmpty else { return .goOn }
        lines = []
      case .line(let line) where lines.isEmpty && line.hasPrefix(":") && !line.hasPrefix("::"):
        let answer = place.answer(line.trimmed)
        if let text = answer.text { StandardOutput.write(OutputText(text).text + "\n") }
        if let next = answer.next { return next }
      case .line(let line):
        await take(line)
        try Task.checkCancellation()
      }
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
