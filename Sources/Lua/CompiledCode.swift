import CLua
import CLuaShims
import Glibc
import HostLoop

/// Facts from the compiled form of a Lua function: the lines of its source that have code, and the branches between lines.
package struct CompiledCode: Sendable {
  /// A function of the source.
  package struct Function: Sendable {
    /// The line of the word `function`; 0 for the chunk itself.
    package let line: Int
    package let lastLine: Int
    /// The lines with code.
    package var lines: Set<Int>
    package var branches: [Branch]
  }

  /// A decision in a line that leads to one of two lines.
  package struct Branch: Sendable, Hashable {
    package let line: Int
    package let targets: [Int]
  }

  package let functions: [Function]

  /// The lines with code, of all functions.
  package var lines: Set<Int> { functions.reduce(into: []) { $0.formUnion($1.lines) } }
}

extension LuaFunction {
  /// Nil for a function that is not Lua, and without memory.
  package var compiledCode: CompiledCode? {
    let stack = state.stack
    state.reserve(2, on: stack)
    push(onto: stack)
    defer { luas_pop(stack, 1) }
    return CompiledCode.onTop(of: stack)
  }
}

extension CompiledCode {
  /// The code of the Lua function on top of the stack.
  static func onTop(of stack: LuaStack) -> CompiledCode? {
    var count = 0
    guard lua_iscfunction(stack, -1) == 0, let bytes = luas_dump(stack, &count) else { return nil }
    defer { free(bytes) }
    var reader = CodeReader(UnsafeRawBufferPointer(start: bytes, count: count))
    return reader.read()
  }
}

/// Reads what `lua_dump` of Lua 5.4 writes.
private struct CodeReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  private var functions: [CompiledCode.Function] = []

  /// The size of the header: the mark, the version, and examples of numbers.
  private static let header = 4 + 1 + 1 + 6 + 3 + 8 + 8

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func read() -> CompiledCode? {
    // The header, and the count of upvalues of the chunk.
    position = Self.header + 1
    guard readFunction() else { return nil }
    return CompiledCode(functions: functions)
  }

  private mutating func readFunction() -> Bool {
    let place = functions.count
    skipText()
    let (line, lastLine) = (number(), number())
    functions.append(CompiledCode.Function(line: line, lastLine: lastLine, lines: [], branches: []))
    position += 1
    let isVariadic = byte() != 0
    position += 1
    let instructions = (0..<number()).map { _ in instruction() }
    for _ in 0..<number() { skipConstant() }
    position += 3 * number()
    for _ in 0..<number() { guard readFunction() else { return false } }
    let lines = readLines(from: line)
    for _ in 0..<number() {
      skipText()
      _ = (number(), number())
    }
    for _ in 0..<number() { skipText() }
    guard position <= bytes.count, lines.count == instructions.count else { return false }
    functions[place].lines = Set(lines.dropFirst(isVariadic ? 1 : 0))
    functions[place].branches = Self.branches(instructions, lines)
    return true
  }

  /// The line of each instruction.
  private mutating func readLines(from first: Int) -> [Int] {
    let steps = (0..<number()).map { _ in Int(Int8(bitPattern: byte())) }
    let absolute = Dictionary((0..<number()).map { _ in (number(), number()) }) { $1 }
    var line = first
    return steps.enumerated().map { index, step in
      line = absolute[index] ?? line + step
      return line
    }
  }

  private static let jump: UInt32 = 56
  private static let tests: ClosedRange<UInt32> = 57...67

  /// The tests whose two outcomes lead to different lines: `OP_EQ` to `OP_TESTSET`, each followed by a jump.
  private static func branches(_ code: [UInt32], _ lines: [Int]) -> [CompiledCode.Branch] {
    var branches: Set<CompiledCode.Branch> = []
    for (index, instruction) in code.enumerated() where tests.contains(instruction & 0x7f) {
      guard index + 2 < code.count, code[index + 1] & 0x7f == jump else { continue }
      let distance = Int(code[index + 1] >> 7) - 0xffffff
      let target = index + 2 + distance
      guard code.indices.contains(target) else { continue }
      let (fallen, jumped) = (lines[index + 2], lines[target])
      guard fallen != jumped, fallen != lines[index], jumped != lines[index] else { continue }
      branches.insert(CompiledCode.Branch(line: lines[index], targets: [fallen, jumped]))
    }
    return branches.sorted { ($0.line, $0.targets[0]) < ($1.line, $1.targets[0]) }
  }

  private mutating func byte() -> UInt8 {
    defer { position += 1 }
    return position < bytes.count ? bytes[position] : 0x80
  }

  private mutating func instruction() -> UInt32 {
    defer { position += 4 }
    return position + 4 <= bytes.count ? bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self) : 0
  }

  /// Seven bits in each byte, the highest first; the last byte has the eighth bit.
  private mutating func number() -> Int {
    var value = 0
    while true {
      let next = byte()
      value = value << 7 | Int(next & 0x7f)
      if next & 0x80 != 0 || value > bytes.count { return min(value, 1 << 30) }
    }
  }

  private mutating func skipText() {
    let size = number()
    if size > 0 { position += size - 1 }
  }

  private mutating func skipConstant() {
    switch byte() {
    case 0x03, 0x13: position += 8
    case 0x04, 0x14: skipText()
    default: break
    }
  }
}
