import Core
import Markup

/// The parts of a workbook of Office Open XML (ECMA-376, part 1, 12.3 and 18.2).
struct OfficeParts {
  let sheets: [Workbook.Sheet]
  /// The entry with the shared texts; nil if the workbook has none.
  let strings: String?
  let formats: NumberFormats

  /// - Parameters:
  ///   - names: of the archive's entries.
  ///   - read: reads an entry.
  init(names: Set<String>, _ read: (String) throws(WorkbookError) -> XMLElement) throws(WorkbookError) {
    let relations = try Self.relations(names, "xl/_rels/workbook.xml.rels", read)
    let workbook = try read("xl/workbook.xml")
    let properties = workbook.children.first { $0.name == "workbookPr" }
    let startsIn1904 = ["1", "true", "on"].contains(properties?.attributes["date1904"])
    let listed = workbook.children.first { $0.name == "sheets" }?.children ?? []
    sheets = listed.enumerated().compactMap { index, sheet in
      // The prefix of the namespace of relations may be any.
      let id = sheet.attributes.first { $0.key.hasSuffix(":id") }?.value
      guard let part = id.flatMap({ relations[$0] }), names.contains(part.name), part.kind == "worksheet" else {
        return nil
      }
      return Workbook.Sheet(
        name: sheet.attributes["name"] ?? "\(index + 1)",
        isHidden: ["hidden", "veryHidden"].contains(sheet.attributes["state"]), part: part.name)
    }
    strings = relations.values.first { $0.kind == "sharedStrings" && names.contains($0.name) }?.name
    let styles = relations.values.first { $0.kind == "styles" && names.contains($0.name) }
    formats = try NumberFormats(
      styles.map { style throws(WorkbookError) in try read(style.name) }, startsIn1904: startsIn1904)
  }

  private static func relations(
    _ names: Set<String>, _ part: String, _ read: (String) throws(WorkbookError) -> XMLElement
  ) throws(WorkbookError) -> [String: (kind: String, name: String)] {
    guard names.contains(part) else { throw .damaged("the part \(part) is missing") }
    var found: [String: (kind: String, name: String)] = [:]
    for relation in try read(part).children {
      guard let id = relation.attributes["Id"], let target = relation.attributes["Target"],
        let kind = relation.attributes["Type"]?.split(separator: "/").last
      else { continue }
      found[id] = (String(kind), target.hasPrefix("/") ? String(target.dropFirst()) : "xl/\(target)")
    }
    return found
  }
}
