import LuaKit
import TaskAPI

/// Finds a service whose pages of tasks have no end: it gives a page again, or empty ones only.
struct EndOfPages {
  private let service: String
  private var cursors: Set<String> = []
  private var firstIDs: Set<String> = []
  private var emptyPages = 0

  private static let mostEmptyPages = 1000

  init(_ service: String) { self.service = service }

  /// - Parameter cursor: the position of the next page; nil at the end, and if it is not a text.
  mutating func check(_ page: [APITask], _ cursor: String?) throws(TaskAPIError) {
    var isAgain = cursor.map { !cursors.insert($0).inserted } ?? false
    emptyPages = page.isEmpty ? emptyPages + 1 : 0
    if let id = page.first?.id?.plainText, !firstIDs.insert(id).inserted { isAgain = true }
    guard isAgain || emptyPages > Self.mostEmptyPages else { return }
    throw TaskAPIError.ofService(
      code: TaskAPIError.Kind.unexpectedBody.rawValue,
      message: "\(service): the list of tasks has no end: "
        + (isAgain ? "a page came again" : "\(emptyPages) pages are empty"),
      hint: nil, status: nil, retryAfter: nil, isOfOne: false)
  }
}
