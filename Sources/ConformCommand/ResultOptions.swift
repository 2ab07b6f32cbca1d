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

/// The forms in which a result is given, and the files with which it is compared.
struct ResultOptions: Sendable {
  var isJSON = false
  var report: String?
  var junit: String?
  var sarif: String?
  var badge: String?
  var expected: String?
  var baseline: String?

  static let flags: [Flag<ConformCommand>] = [
    Flag(
      "--report FILE", "write a page with the result to FILE (.html)", with: ConformCommand.judging + ["matrix"]
    ) {
      command, path in
      guard let path, path.isPagePath else {
        throw UsageError("--report: expected a file that ends in .html or .htm, got '\(path ?? "")'")
      }
      command.results.report = path
    },
    Flag("--junit FILE", "write the result to FILE as JUnit's XML", with: ConformCommand.judging, \.results.junit),
    Flag("--sarif FILE", "write the result to FILE as SARIF 2.1.0", with: ConformCommand.judging, \.results.sarif),
    Flag("--badge FILE", "write a small picture of the result to FILE (.svg)", with: ConformCommand.judging) {
      guard let path = $1, path.hasSuffix(".svg") else {
        throw UsageError("--badge: expected a file that ends in .svg, got '\($1 ?? "")'")
      }
      $0.results.badge = path
    },
    Flag(
      "--expected FILE", "known failures: lines of a check and its reason; other failures and passes count",
      with: ConformCommand.judging, \.results.expected),
    Flag(
      "--baseline FILE", "show the changes since FILE, an earlier result of --json", with: ConformCommand.judging,
      \.results.baseline),
  ]

  /// The known failures of the file.
  func expectation(_ checks: [Check]) throws -> Expectation? {
    guard let expected else { return nil }
    let text = try Self.text(of: expected, "--expected")
    do { return try Expectation(text, known: Set(checks.map(\.id))) } catch {
      throw UsageError(
        "\(expected):\(error.line): \(error.message)",
        hint: "each line is a check and its reason: provider.code.once  mended in March")
    }
  }

  /// The earlier result.
  func earlier() throws -> JSON? {
    guard let baseline else { return nil }
    guard let json = try? JSON(parsing: Array(try Self.text(of: baseline, "--baseline").utf8)), json["checks"] != nil
    else {
      throw UsageError(
        "--baseline: \(baseline) is not a result of --json", hint: "b2c-run conform … --json > \(baseline)")
    }
    return json
  }

  private static func text(of path: String, _ option: String) throws -> String {
    let bytes: [UInt8]
    do throws(FileFailure) { bytes = try FileSystem.contents(of: path, limit: 64 << 20) } catch {
      throw UsageError("\(option): cannot read \(path): \(error.reason)")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Gives the result of a run out.
@HostActor
struct ResultOutput {
  let options: ResultOptions
  let run: RunOptions
  let console: Console

  /// Prints the result, writes its files, and returns the exit status.
  func give(_ result: ConformResult) throws -> ExitStatus {
    try write("--report", options.report) { ConformPage.text(result) }
    try write("--junit", options.junit) { ConformJUnit.text(result) }
    try write("--sarif", options.sarif) {
      ConformSARIF.json(result, version: run.session.version).encoded(pretty: true) + "\n"
    }
    try write("--badge", options.badge) { ConformBadge.svg(result) }
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

  func write(_ option: String, _ path: String?, _ text: () -> String) throws {
    guard let path else { return }
    let bytes = Array(OutputText(text()).text.utf8)
    try PageFile.write(option, path, of: [], console) { file in
      do throws(FileFailure) { try OpenFile.write(bytes, to: file) } catch {
        throw UsageError("\(option): cannot write \(path): \(error.reason)")
      }
    }
  }
}

extension ExitStatus {
  /// The right sign-in does not work, so that nothing can be judged.
  static let wrongSubject = ExitStatus.settings
  /// Nothing failed, but some checks have no answer.
  static let unclear = ExitStatus.permission
}
