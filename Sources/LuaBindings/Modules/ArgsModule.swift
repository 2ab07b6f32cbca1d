import Lua

extension ScriptHost {
  /// `args`: a plain table, positions from 1 and `--name=value` by name (`--name` alone is true).
  /// At 0 is the script's path, as in the standalone `lua`.
  func fillArgs(_ arguments: [String], script: String) {
    let table = args
    for pair in table.pairs { table[pair.key] = .nil }
    table[.integer(0)] = .string(script)
    var position: Int64 = 0
    var namesEnded = false
    for argument in arguments {
      if argument == "--", !namesEnded {
        namesEnded = true
      } else if argument.hasPrefix("--"), !namesEnded {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        table[String(parts[0])] = parts.count == 2 ? .string(String(parts[1])) : .boolean(true)
      } else {
        position += 1
        table[.integer(position)] = .string(argument)
      }
    }
  }
}
