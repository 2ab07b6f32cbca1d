import Permissions
import Settings

extension Automation.Configuration {
  /// A command of the program to paste, with the options of this run that say which settings and which accounts it is about.
  ///
  /// Nothing in it is secret: of what may be, only the name is there.
  package func commandLine(_ command: String) -> String {
    var words = ["b2c-run"]
    if let settingsFile { words += ["--settings", ShellWord.quoted(settingsFile)] }
    for (name, value) in settingsOverrides { words += Self.override(name, value) }
    if let storePath { words += ["--store", ShellWord.quoted(storePath)] }
    if let caFile { words += ["--cacert", ShellWord.quoted(caFile)] }
    return (words + [command]).joined(separator: " ")
  }

  /// None for what only scripts read.
  private static func override(_ name: String, _ value: String) -> [String] {
    guard let key = SettingsKey(name: name.split(separator: ".").first.map(String.init) ?? "") else { return [] }
    switch key {
    case .clientSecret, .customHeaders, .additionalParameters: return ["--set", "\(ShellWord.quoted(name))=…"]
    default: return ["--set", ShellWord.quoted("\(name)=\(value)")]
    }
  }
}
