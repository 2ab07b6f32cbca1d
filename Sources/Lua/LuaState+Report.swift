import CLua
import CLuaShims
import HostLoop

extension LuaState {
  /// `luas_report`: on the loop's thread, without Swift knowing it.
  nonisolated static let reportFromC: luas_report = { host in
    guard let owner = host?.pointee.owner else { return }
    let state = Unmanaged<LuaState>.fromOpaque(owner).takeUnretainedValue()
    HostActor.assumeIsolated {
      if state.watching.profiler?.takesSample() != true { state.onReport(state.report()) }
    }
  }

  /// More coroutines than this in different places are only counted.
  private static let mostShown = 20

  /// The operation of each coroutine, and the lines of Lua that led there, the innermost first. Equal ones are one entry.
  func report() -> String {
    guard !driven.isEmpty else { return "no script runs" }
    var entries: [(text: String, count: Int)] = []
    var positions: [String: Int] = [:]
    for (_, coroutine) in driven.sorted(by: { $0.key < $1.key }) {
      let text = describe(coroutine)
      if let position = positions[text] {
        entries[position].count += 1
      } else {
        positions[text] = entries.count
        entries.append((text, 1))
      }
    }
    var lines = ["\(driven.count) coroutine\(driven.count == 1 ? "" : "s"):"]
    lines += entries.prefix(Self.mostShown).map { $0.count == 1 ? "- \($0.text)" : "- \($0.count) times: \($0.text)" }
    if entries.count > Self.mostShown { lines.append("- \(entries.count - Self.mostShown) more places") }
    return cleanMessage(lines.joined(separator: "\n"))
  }

  private func describe(_ coroutine: Coroutine) -> String {
    let state = coroutine.waiting.map { "waits for \($0.text)" } ?? (coroutine === current ? "runs" : "is about to run")
    return ([state] + places(in: coroutine)).joined(separator: "\n    ")
  }

  /// `import.lua:12: in function 'work'` for each level that is Lua.
  private func places(in coroutine: Coroutine) -> [String] {
    var chain = [LuaStack?](repeating: nil, count: 200)
    let count = luas_chain(host, coroutine.stack, &chain, Int32(chain.count))
    reserve(16, on: stack)
    return chain.prefix(Int(count)).flatMap { nested -> [String] in
      luaL_traceback(stack, nested, nil, 0)
      defer { luas_pop(stack, 1) }
      let lines = value(at: -1, of: stack).string?.split(separator: "\n").dropFirst() ?? []
      return lines.map { String($0.drop { $0 == "\t" }) }.filter { !$0.hasPrefix("[C]") && !$0.hasPrefix("(...") }
    }
  }

  /// Makes the reports that were asked for, unless a script that computes has made its own already. False when there is no
  /// state that could.
  package static func reportIfAsked() -> Bool {
    for state in obeying where luas_takereport(state.host) { state.onReport(state.report()) }
    return !obeying.isEmpty
  }
}
