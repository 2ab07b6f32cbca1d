import Testing

@testable import Encodings

/// The encoding of a text is found by its bytes, or the text is doubtful.
struct EncodingEvidenceTests {
  /// The text in an encoding, by the same tables of the C library that the program reads with.
  private func bytes(_ text: String, _ encoding: TextEncoding) -> [UInt8] {
    switch encoding {
    case .utf8: return Array(text.utf8)
    case .utf16LittleEndian: return text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    case .utf16BigEndian: return text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    case .utf32LittleEndian:
      return text.unicodeScalars.flatMap { [UInt8($0.value & 255), UInt8($0.value >> 8 & 255), 0, 0] }
    case .utf32BigEndian:
      return text.unicodeScalars.flatMap { [0, 0, UInt8($0.value >> 8 & 255), UInt8($0.value & 255)] }
    default:
      let page = CodePage.of(encoding)
      return text.unicodeScalars.map { scalar in
        UInt8(page?.characters.firstIndex(of: Array(String(scalar).utf8)) ?? 0x3F)
      }
    }
  }

  private func judged(_ bytes: [UInt8]) -> EncodingEvidence { bytes.withUnsafeBytes { EncodingEvidence($0) } }

  @Test(arguments: [
    ("Aufgabe,Fällig\nÖl wechseln,morgen\nMüll für Straße,heute\n", TextEncoding.windows1252),
    ("Tâche;Échéance\nPréparer la réunion;demain\nÀ vérifier;«déjà»\n", .windows1252),
    ("Zadanie;Termin\nZażółć gęślą jaźń;jutro\nKupić żarówkę;piątek\n", .windows1250),
    ("Úkol;Termín\nPříliš žluťoučký kůň;zítra\nKoupit chléb;středa\n", .windows1250),
    ("Feladat;Határidő\nÁrvíztűrő tükörfúrógép;holnap\nFizetés;hétfő\n", .windows1250),
    ("Задача;Срок\nКупить молоко;завтра\nПозвонить врачу;пятница\n", .windows1251),
    ("Aufgabe,Fällig\nÖl wechseln,morgen\nMüll für Straße,heute\n", .macRoman),
    ("Tâche;Échéance\nPréparer la réunion;demain\nÀ vérifier;déjà\n", .macRoman),
    ("Aufgabe;Preis\nÖl wechseln;5 €\n", .latin9),
    ("Aufgabe;Fällig\nÖl wechseln;morgen\n", .utf8), ("Задача;Срок\nКупить молоко;завтра\n", .utf8),
    ("Aufgabe\tFällig\nÖl wechseln\tmorgen\n", .utf16LittleEndian),
    ("Aufgabe\tFällig\nÖl wechseln\tmorgen\n", .utf16BigEndian),
    ("Aufgabe\tFällig\nÖl wechseln\tmorgen\n", .utf32LittleEndian),
  ])
  func anEncodingIsFoundByItsBytes(_ text: String, _ encoding: TextEncoding) {
    #expect(judged(bytes(text, encoding)).encoding == encoding)
  }

  @Test func aMarkDecides() {
    for encoding in [TextEncoding.utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian] {
      let evidence = judged(encoding.mark + bytes("Text,Done\n", encoding))
      #expect(evidence.encoding == encoding)
      #expect(evidence.reason == "begins with a byte order mark")
    }
  }

  @Test func utf8WithAFewOtherBytesIsUTF8() {
    let text = String(repeating: "Müll für die Straße\n", count: 20)
    #expect(judged(Array(text.utf8) + [0xE9, 0x0A]).encoding == .utf8)
  }

  @Test func aTextThatReadsInTwoWaysIsADoubt() {
    // One byte beyond ASCII, without a language.
    let evidence = judged(Array("Task,Price\nMilk,".utf8) + [0xA4, 0x0A])
    #expect(evidence.rival != nil)
  }

  @Test func aCharacterCutAtTheEndIsNoFault() {
    #expect(judged(Array("Müll für".utf8) + [0xC3]).encoding == .utf8)
  }
}
