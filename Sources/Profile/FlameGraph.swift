import HostLoop
import Lua
import Pages

/// A picture of nested calls: each bar is as wide as its share of the time, and below it are the functions that it has called.
@HostActor
struct FlameGraph {
  let root: Profiler.Node

  private static let height = 20.0
  /// Narrower bars are left out.
  private static let narrowest = 0.001
  /// Narrower bars have no text, only a title.
  private static let narrowestText = 0.04
  private static let deepest = 100

  var html: HTML {
    let depth = Self.depth(of: root)
    return HTML(
      .svg, class: "flames",
      with: ["height": SVG.number(Double(depth) * Self.height), "role": "img", "aria-label": "Flame graph"],
      bars(root, from: 0, level: 0, total: root.total))
  }

  private static func depth(of node: Profiler.Node) -> Int {
    min(deepest, 1 + (node.calls.values.map(depth).max() ?? -1))
  }

  private func bars(_ node: Profiler.Node, from start: Double, level: Int, total: Double) -> [HTML] {
    guard level < Self.deepest else { return [] }
    var start = start
    return node.calls.sorted { $0.key < $1.key }.flatMap { name, call -> [HTML] in
      let share = call.total / total
      defer { start += share }
      guard share >= Self.narrowest else { return [] }
      return [bar(name, call, from: start, share, level)] + bars(call, from: start, level: level + 1, total: total)
    }
  }

  private func bar(_ name: String, _ call: Profiler.Node, from start: Double, _ share: Double, _ level: Int) -> HTML {
    let y = Double(level) * Self.height
    let text = "\(name): \(ProfileReport.duration(call.total)), itself \(ProfileReport.duration(call.own))"
    // A text that is wider than its bar is cut off there.
    let label = HTML(
      .svg,
      with: [
        "x": SVG.percent(start), "y": SVG.number(y), "width": SVG.percent(share), "height": SVG.number(Self.height),
      ],
      share >= Self.narrowestText ? SVG.text(name, x: "0", y: 14, shift: 4) : nil)
    return HTML(
      .g, HTML(.title, text),
      SVG.rectangle(
        x: SVG.percent(start), y: y, width: SVG.percent(share), height: Self.height - 1,
        class: "flame\(Self.tone(of: name))"),
      label)
  }

  /// The same function has the same color everywhere.
  private static func tone(of name: String) -> Int { Int(name.utf8.reduce(UInt32(7)) { $0 &* 31 &+ UInt32($1) } % 4) }

  static let style = """
    .flames { width: 100%; margin: 12px 0; } .flames text { font-size: 12px; fill: #1b1b1b; }
    .flame0 { fill: #f2b178; } .flame1 { fill: #efc97c; } .flame2 { fill: #e8a08a; } .flame3 { fill: #d9c08c; }
    .flames g:hover rect { stroke: currentColor; }
    """
}
