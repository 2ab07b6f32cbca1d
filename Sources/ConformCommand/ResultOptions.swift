import Automation
import CommandLine
import Commands
import Conform
import Core
import Files
import Glibc
import HostLoop
import JSON
import Terminal

/// The forms in which a result is given, and what it is compared with.
struct ResultOptions: Sendable {
  var isJSON = false

  static let flags: [Flag<ConformCommand>] = []
}

/// Gives the result of a run out.
@HostActor
struct ResultOutput {
  let options: ResultOptions
  let console: Console

  /// Prints the result, writes its files, and returns the exit status.
  func give(_ result: ConformResult) throws -> ExitStatus {
    if options.isJSON {
      StandardOutput.write(json: result.json.encoded() + "\n")
    } else {
      let screen = TerminalScreen(of: STDOUT_FILENO)
      let text = ConformText(result) { text, style in
        screen?.usesColor == true && !style.isEmpty ? ScreenText.painted(text, style) : text
      }
      StandardOutput.write(OutputText(text.text).text)
    }
    return switch result.end {
    case .asExpected: .done
    case .failed: .failed
    case .signInFailed: .wrongSubject
    case .unclear: .unclear
    }
  }
}

extension ExitStatus {
  /// The right sign-in does not work, so that nothing can be judged.
  static let wrongSubject = ExitStatus.settings
  /// Nothing failed, but some checks have no answer.
  static let unclear = ExitStatus.permission
}
