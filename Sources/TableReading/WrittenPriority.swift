/// A priority as people and programs write it, from 1, the highest, to 9; 0 for none.
package enum WrittenPriority: Sendable, Equatable {
  /// A word, `P2`, `!!`, or a letter, of which A is the highest.
  case certain(Int)
  /// A number alone: 1 may be the highest or the lowest.
  case number(Int)
  /// A number beside a word, such as `1 - low`: the word decides.
  case described(Int, as: Int)

  /// Nil for another text.
  package init?(_ text: some StringProtocol) {
    if let priority = ValueWords.priority(text) {
      self = .certain(priority)
      return
    }
    let parts = text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "!" }
    guard let first = parts.first else { return nil }
    if parts.count == 1 {
      if let number = Int(first), text.contains(where: \.isNumber), !text.contains("-") {
        self = .number(number)
      } else if first.first == "p", let number = Int(first.dropFirst()), (0...9).contains(number) {
        // P0 stands before P1 where there is one.
        self = .certain(max(number, 1))
      } else if let letter = first.utf8.first, first.utf8.count == 1, (0x61...0x7A).contains(letter) {
        self = .certain(min(Int(letter) - 0x60, 9))
      } else {
        return nil
      }
      return
    }
    let numbers = parts.compactMap { Int($0) }
    let words = parts.filter { Int($0) == nil }.joined(separator: " ")
    guard numbers.count == 1, let priority = ValueWords.priority(words) else { return nil }
    self = .described(numbers[0], as: priority)
  }
}

/// The priorities of a column, judged by all of its values: numbers beside words show which end is the highest.
package struct PriorityColumn: Sendable, Equatable {
  /// The meaning of a number alone.
  package enum Scale: Sendable, Equatable {
    case highestFirst
    /// 1 is the lowest, and `most` is the highest.
    case lowestFirst(most: Int)

    /// The priority from 1, the highest, to 9; nil for a number out of range.
    package func priority(_ number: Int) -> Int? {
      guard case .lowestFirst(let most) = self else { return (0...9).contains(number) ? number : nil }
      guard number > 0 else { return number == 0 ? 0 : nil }
      return most < 2 ? 9 : 1 + max(0, most - number) * 8 / (most - 1)
    }
  }

  package enum Judgment: Sendable, Equatable {
    /// No value needs a scale.
    case needless
    case decided(Scale)
    /// Nothing shows which end is the highest, and both are usual.
    case undecided
    /// Words beside the numbers contradict each other.
    case mixed
  }

  /// The numbers that stand alone.
  package private(set) var numbers: Set<Int> = []
  private var described: [Int: Int] = [:]

  package init() {}

  package mutating func add(_ value: WrittenPriority) {
    switch value {
    case .certain: break
    case .number(let number): numbers.insert(number)
    case .described(let number, let priority): described[number] = priority
    }
  }

  package var judgment: Judgment {
    guard numbers.contains(where: { $0 > 0 }) else { return .needless }
    let pairs = described.sorted { $0.key < $1.key }.filter { $0.value > 0 }
    var directions = Set(zip(pairs, pairs.dropFirst()).filter { $0.value != $1.value }.map { $0.value < $1.value })
    if pairs.count == 1, pairs[0].key == 1 { directions = [pairs[0].value < 5] }
    if directions.count == 2 { return .mixed }
    let most = max(numbers.max() ?? 0, pairs.last?.key ?? 0)
    if let isHighestFirst = directions.first {
      return .decided(isHighestFirst ? .highestFirst : .lowestFirst(most: most))
    }
    // Apps that write 0 for none mostly count upwards; RFC 5545 does not, and has 1, 5 and 9.
    let isSmall = most <= 5 && !numbers.isSubset(of: [0, 1, 5])
    return numbers.contains(0) && isSmall ? .undecided : .decided(.highestFirst)
  }
}
