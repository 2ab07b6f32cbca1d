import Automation
import Core
import Glibc
import HostLoop
import ImportEngine
import Imports
import Testing

/// A terminal with a given number of columns, which collects its output.
@HostActor
private final class Screen {
  private let master: CInt
  private let slave: CInt
  let console: Console

  init(columns: Int, isQuiet: Bool = false) {
    var (master, slave): (CInt, CInt) = (-1, -1)
    precondition(openpty(&master, &slave, nil, nil, nil) == 0, "no terminal: errno \(errno)")
    (self.master, self.slave) = (master, slave)
    console = Console(isQuiet: isQuiet, descriptor: slave)
    resize(columns)
  }

  func resize(_ columns: Int) {
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    precondition(ioctl(slave, UInt(TIOCSWINSZ), &size) == 0, "errno \(errno)")
  }

  /// Returns the output since the last call. ESC is shown as ^, and unbreakable text between brackets.
  func read() -> String {
    // The bytes arrive at the other end some time later, but in order.
    precondition(write(slave, "\0", 1) == 1, "errno \(errno)")
    var all: [UInt8] = []
    while all.last != 0 {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = Glibc.read(master, &bytes, bytes.count)
      precondition(count > 0, "errno \(errno)")
      all += bytes[..<count]
    }
    let text = String(decoding: all.dropLast(), as: UTF8.self)
    return text.replacing("\u{1B}[?7l", with: "[").replacing("\u{1B}[?7h", with: "]").replacing("\u{1B}", with: "^")
      .replacing("\r\n", with: "\n").replacing("\r", with: "<")
  }

  deinit {
    close(master)
    close(slave)
  }
}

@HostActor @Suite(.serialized) struct ConsoleTests {
  private func snapshot(seconds: Double, isFinished: Bool = false) -> ProgressSnapshot {
    var snapshot = ProgressSnapshot()
    snapshot.counts.added = Int(seconds * 100)
    snapshot.source.rows = snapshot.counts.added
    snapshot.source.totalRows = 1000
    snapshot.rate = 100
    snapshot.seconds = seconds
    snapshot.isFinished = isFinished
    return snapshot
  }

  /// The new line is drawn over the old one, then what is left of that is erased: nothing flickers, nothing stays.
  @Test func progressIsDrawnInPlace() {
    let screen = Screen(columns: 80)
    screen.console.show(progress: "10 rows")
    screen.console.show(progress: "9 rows")
    #expect(screen.read() == "<[10 rows]^[J<<[9 rows]^[J<")
    screen.console.finish(progress: "")
    #expect(screen.read() == "<^[J")
    screen.console.finish(progress: "")
    #expect(screen.read() == "")
  }

  @Test func linesStandAboveTheProgress() {
    let screen = Screen(columns: 80)
    screen.console.show(progress: "10 rows")
    _ = screen.read()
    screen.console.write("row 7 was not added")
    #expect(screen.read() == "<^[Jrow 7 was not added\n[10 rows]<")
    screen.console.finish(progress: "done")
    #expect(screen.read() == "<^[Jdone\n")
  }

  /// Made narrower, the terminal breaks the line; to draw it again as it was would break it once more.
  @Test func lineThatIsTooLongNowIsNotDrawnAgain() {
    let screen = Screen(columns: 80)
    screen.console.show(progress: "1,234 rows  12/s  16 in flight")
    screen.resize(20)
    _ = screen.read()
    screen.console.write("a line")
    #expect(screen.read() == "<^[Ja line\n<")
    screen.console.show(progress: "1,235 rows")
    #expect(screen.read() == "<[1,235 rows]^[J<")
    screen.console.finish(progress: "")
  }

  @Test func questionsAreNotWrittenOver() {
    let screen = Screen(columns: 80)
    screen.console.show(progress: "10 rows")
    _ = screen.read()
    screen.console.ask(DecisionText("Go on? "), on: 2)
    screen.console.show(progress: "11 rows")
    #expect(screen.read() == "<^[JGo on? ")
    screen.console.asked()
    screen.console.show(progress: "12 rows")
    #expect(screen.read() == "<[12 rows]^[J<")
    screen.console.finish(progress: "")
  }

  @Test(arguments: [20, 40, 80, 200]) func barFitsTheTerminal(columns: Int) {
    let screen = Screen(columns: columns)
    let progress = ImportProgress(screen.console)
    progress.show(snapshot(seconds: 1))
    let line = screen.read().filter { !"<[]".contains($0) }.replacing("^J", with: "")
    #expect(line.contains("100 rows"))
    #expect(line.count < columns)
    progress.end()
    #expect(screen.read() == "<^[J")
  }

  @Test func barIsDrawnTenTimesASecondAtMost() {
    let screen = Screen(columns: 80)
    let progress = ImportProgress(screen.console)
    var text = ""
    for tick in 1...1000 {
      progress.show(snapshot(seconds: Double(tick) / 100))
      // A terminal without a reader holds few bytes.
      text += screen.read()
    }
    let drawn = text.count { $0 == "]" }
    #expect((90...112).contains(drawn))
    progress.end()
  }

  @Test func aLineEveryFiveSeconds() {
    let screen = Screen(columns: 80)
    let progress = ImportProgress(screen.console, .lines)
    for tick in 1...110 { progress.show(snapshot(seconds: Double(tick) / 10)) }
    progress.show(snapshot(seconds: 11.05, isFinished: true))
    progress.end()
    #expect(
      screen.read()
        == " 50%  500 rows  100/s  0:05 left  0 in flight\n100%  1,000 rows  100/s  0:00 left  0 in flight\n")
  }

  @Test func jsonIsForProgramsAlsoWhenQuiet() {
    let screen = Screen(columns: 80, isQuiet: true)
    let progress = ImportProgress(screen.console, .json)
    for tick in 1...20 { progress.show(snapshot(seconds: Double(tick) / 10)) }
    progress.show(snapshot(seconds: 2.01, isFinished: true))
    progress.end()
    let lines = screen.read().split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines.allSatisfy { $0.hasPrefix(#"{"added":"#) && $0.hasSuffix("}") })
    #expect(lines.map { $0.contains(#""finished":true"#) } == [false, false, false, false, true])
  }

  @Test(arguments: [ImportProgress.Form.bar, .lines, .none]) func quietIsQuiet(form: ImportProgress.Form) {
    let screen = Screen(columns: 80, isQuiet: form != .none)
    let progress = ImportProgress(screen.console, form)
    for tick in 1...200 { progress.show(snapshot(seconds: Double(tick) / 10)) }
    progress.show(snapshot(seconds: 20.1, isFinished: true))
    progress.end()
    #expect(screen.read() == "")
  }
}
