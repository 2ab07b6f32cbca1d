import CLuaShims

/// Standard output, through the same buffer as Lua's own `print` and `io.write`, so that the order is kept.
package enum StandardOutput {
  package static func write(_ text: String) {
    var text = text
    text.withUTF8 { luas_writeout($0.baseAddress, $0.count) }
  }

  package static func flush() { luas_flushout() }
}
