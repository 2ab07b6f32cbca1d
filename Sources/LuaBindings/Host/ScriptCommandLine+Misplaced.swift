import Automation
import HostLoop

extension ScriptCommandLine {
  /// Warns of options of the program behind the script, where they are arguments of the script. A script that declares its
  /// command line (`term.options`) refuses them itself, and the source of one that takes an option has its name in it.
  func warnOfMisplacedOptions(_ words: [String], behind path: String, _ source: [UInt8]) {
    let names = words.prefix { $0 != "--" }.map { String($0.prefix { $0 != "=" }) }.filter(
      automation.configuration.options.contains)
    guard !names.isEmpty, !source.contains(Array("term.options".utf8)) else { return }
    var told: Set<String> = []
    for name in names where told.insert(name).inserted && !Self.reads(source, String(name.dropFirst(2))) {
      automation.console.log(
        .warn,
        "\(name) behind \(path) is an argument of the script; options of b2c-run stand before the script: "
          + "b2c-run \(name) … \(path)")
    }
  }

  /// Returns whether the source contains `args.NAME`, or a string that ends with the name.
  private static func reads(_ source: [UInt8], _ name: String) -> Bool {
    let key = name.replacing("-", with: "_")
    return [".\(key)", "\(name)\"", "\(name)'", "\(key)\"", "\(key)'"].contains { source.contains(Array($0.utf8)) }
  }
}
