import Files
import Glibc

/// A folder with programs that take the place of the user's browser. They note the addresses that they get.
struct BrowserFolder {
  private static let names = [
    "browser", "xdg-open", "open", "gio", "wslview", "www-browser", "x-www-browser", "sensible-browser", "firefox",
    "chromium", "google-chrome",
  ]

  /// The folder of the run, which programs may use for their caches (`{dir}`).
  let folder: String
  private var programs: String { "\(folder)/.browser" }

  init(in folder: String) throws {
    self.folder = folder
    try FileSystem.makeFolder(programs, mode: 0o700)
    // The last argument is the address: gio has the word "open" before it. The file appears complete.
    let script = """
      #!/bin/sh
      for address; do :; done
      printf '%s' "$address" > "\(programs)/$$.new" && mv "\(programs)/$$.new" "\(programs)/$$.url"

      """
    try OpenFile("\(programs)/browser", Opening(O_WRONLY | O_CREAT | O_EXCL, mode: 0o700)).write(script.utf8)
    for name in Self.names.dropFirst() {
      guard FileSystem.link("\(programs)/browser", "\(programs)/\(name)") == 0 else { throw FileFailure(number: errno) }
    }
  }

  /// The environment of a program that shall use this browser.
  func adapted(_ environment: [String: String]) -> [String: String] {
    var adapted = environment
    adapted["PATH"] = "\(programs):\(environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")"
    adapted["BROWSER"] = "\(programs)/browser"
    // Many programs open no browser without a display.
    if adapted["DISPLAY"] == nil, adapted["WAYLAND_DISPLAY"] == nil { adapted["DISPLAY"] = ":0" }
    return adapted
  }

  /// Returns the addresses that programs have opened since the last call.
  func takeAddresses() throws -> [String] {
    try FileSystem.names(in: programs).filter { $0.hasSuffix(".url") }.sorted().map { name in
      let path = "\(programs)/\(name)"
      defer { FileSystem.unlink(path) }
      return String(decoding: try FileSystem.contents(of: path, limit: 1 << 16), as: UTF8.self)
    }
  }
}
