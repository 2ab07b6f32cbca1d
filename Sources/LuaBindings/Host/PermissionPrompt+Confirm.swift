import Core
import Glibc
import Terminal

extension PermissionPrompt {
  /// Another question, answered with yes or no. Nil when there was no answer.
  /// - Parameters:
  ///   - facts: the lines there are to know before.
  ///   - question: in one line.
  func confirm(_ facts: [String], _ question: String) -> Bool? {
    guard Self.canAsk, let terminal = ControllingTerminal.shared, !terminal.isAsking, let text = text(facts)
    else { return nil }
    return terminal.aside {
      let restore = Self.takeLines()
      defer { restore() }
      defer { console.asked() }
      for attempt in 1...Self.tries {
        console.ask(DecisionText((attempt == 1 ? text : "") + "\(question) [y/n] "), on: STDERR_FILENO)
        guard let line = line() else { return nil }
        switch line.filter({ !$0.isWhitespace }).lowercased() {
        case "y", "yes": return true
        case "n", "no": return false
        default: continue
        }
      }
      return false
    }
  }
}
