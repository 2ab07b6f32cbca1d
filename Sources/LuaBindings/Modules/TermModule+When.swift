import Glibc
import HostLoop
import Lua

extension ScriptHost {
  var termWhen: HostFunction {
    HostFunction(
      "term.when", "A time in words: \"in 47 min\", \"3 h ago\".",
      [
        Parameter("time", .number, in: Parameter.anyNumber, "Unix seconds."),
        Parameter(
          "now", .number, optional: true, in: Parameter.anyNumber, "From when on; the time of the call if not given."),
      ], returns: [.init(.string, "The words.")]
    ) { arguments in
      let seconds = arguments.number(0) - (arguments[1].number ?? Double(time(nil)))
      guard abs(seconds) >= 1 else { return [.string("now")] }
      let amount = Self.amount(of: abs(seconds))
      return [.string(seconds > 0 ? "in \(amount)" : "\(amount) ago")]
    }
  }

  /// Rounded, in the largest unit of which there are enough for that.
  private static func amount(of seconds: Double) -> String {
    switch seconds {
    case ..<60: "\(Int(seconds)) s"
    case ..<5400: "\(Int((seconds / 60).rounded())) min"
    case ..<129_600: "\(Int((seconds / 3600).rounded())) h"
    case ..<1e13: "\(Int((seconds / 86_400).rounded())) days"
    default: "ages"
    }
  }
}
