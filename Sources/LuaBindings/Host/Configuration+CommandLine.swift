import Settings

extension ScriptHost.Configuration {
  /// A command of the program to paste, with the options of this run that say which settings and which accounts it is about.
  ///
  /// Nothing in it is secret: of what may be, only the name is there.
  func commandLine(_ command: String) -> String {
    var words = ["b2c-run"]
    if let settingsFile { words += ["--settings", settingsFile.shellWord] }
    for (name, value) in settingsOverrides { words += Self.override(name, value) }
    if let storePath { words += ["--store", storePath.shellWord] }
    if let caFile { words += ["--cacert", caFile.shellWord] }
    return (words + [command]).joined(separator: " ")
  }

  /// None for what only scripts read.
  private static func override(_ name: String, _ value: String) -> [String] {
    guard let key = SettingsKey(name: name.split(separator: ".").first.map(String.init) ?? "") else { return [] }
    switch key {
    case .clientSecret, .customHeaders, .additionalParameters: return ["--set", "\(name.shellWord)=…"]
    default: return ["--set", "\(name)=\(value)".shellWord]
    }
  }
}

extension String {
  /// As one word of a shell, in quotes where it needs them.
  fileprivate var shellWord: String {
    let plain =
      !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-_./:=@%+,".utf8.contains(byte) || byte >= 0x80
        }
      }
    return plain ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}
