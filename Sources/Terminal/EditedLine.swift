import Core

/// A line of text with a cursor, edited by keys.
package struct EditedLine: Sendable {
  private var characters: [Character] = []
  private var position = 0

  package init(_ text: String = "") { insert(text) }

  package var text: String { String(characters) }

  /// Applies a key. Returns false for a key without a meaning in a line.
  package mutating func press(_ key: KeyPress) -> Bool {
    switch key.name {
    case "left", "ctrl-b": position = max(0, position - 1)
    case "right", "ctrl-f": position = min(characters.count, position + 1)
    case "home", "ctrl-a": position = 0
    case "end", "ctrl-e": position = characters.count
    case "ctrl-left", "alt-b", "alt-left": position = wordStart
    case "ctrl-right", "alt-f", "alt-right": position = wordEnd
    case "backspace": remove(max(0, position - 1)..<position)
    case "delete", "ctrl-d": remove(position..<min(characters.count, position + 1))
    case "ctrl-w", "alt-backspace": remove(wordStart..<position)
    case "alt-d": remove(position..<wordEnd)
    case "ctrl-u": remove(0..<position)
    case "ctrl-k": remove(position..<characters.count)
    default:
      guard let text = key.text else { return false }
      insert(text)
    }
    return true
  }

  /// The part around the cursor that is at most `columns` wide, and the cursor's column in that part, from 1.
  package func view(columns: Int) -> (text: String, cursor: Int) {
    func count(_ characters: some Sequence<Character>, in room: Int) -> (number: Int, width: Int) {
      var (number, width) = (0, 0)
      for character in characters {
        let next = width + String(character).displayWidth
        if next > room { break }
        (number, width) = (number + 1, next)
      }
      return (number, width)
    }
    let before = count(characters[..<position].reversed(), in: max(2, columns) - 1)
    let behind = count(characters[position...], in: columns - before.width)
    return (String(characters[(position - before.number)..<(position + behind.number)]), before.width + 1)
  }

  /// Line ends become spaces; other control characters are left out.
  private mutating func insert(_ text: String) {
    let clean = text.replacing("\r\n", with: " ").unicodeScalars.compactMap { scalar -> Character? in
      if scalar == "\n" || scalar == "\t" || scalar == "\r" { return " " }
      return scalar.properties.generalCategory == .control ? nil : Character(scalar)
    }
    // An inserted combining mark may join the character before it, which changes the number of characters.
    let before = String(characters[..<position]) + String(clean)
    let after = characters[position...]
    characters = Array(before)
    position = characters.count
    characters += after
  }

  private mutating func remove(_ range: Range<Int>) {
    characters.removeSubrange(range)
    position = range.lowerBound
  }

  private var wordStart: Int {
    var place = position
    while place > 0, !characters[place - 1].isWordPart { place -= 1 }
    while place > 0, characters[place - 1].isWordPart { place -= 1 }
    return place
  }

  private var wordEnd: Int {
    var place = position
    while place < characters.count, !characters[place].isWordPart { place += 1 }
    while place < characters.count, characters[place].isWordPart { place += 1 }
    return place
  }
}

extension Character {
  fileprivate var isWordPart: Bool { isLetter || isNumber }
}
