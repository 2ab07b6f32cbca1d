/// Returns a question such as "did you mean 'sign-in' or 'sign-out'?". It names the candidates that begin with `name`, or
/// else the nearest candidate; nil if no candidate is near.
package func didYouMean(_ name: String, among candidates: some Sequence<String>) -> String? {
  let candidates = Array(candidates)
  let begun = namesBeginning(with: name, in: candidates)
  let meant = begun.isEmpty ? [nearestName(to: name, in: candidates)].compactMap(\.self) : begun
  guard let last = meant.last else { return nil }
  let others = meant.dropLast().map { "'\($0)'" }.joined(separator: ", ")
  return "did you mean \(others.isEmpty ? "" : "\(others) or ")'\(last)'?"
}

/// Returns the matching candidates in their order, each once; none if the text is too short or too many candidates match.
private func namesBeginning(with text: String, in candidates: [String]) -> [String] {
  guard text.utf8.count <= longestName, text.count > 1 else { return [] }
  let beginning = text.lowercased()
  var seen: Set<String> = []
  let found = candidates.filter { $0.lowercased().hasPrefix(beginning) && seen.insert($0).inserted }
  return found.count <= 4 ? found : []
}
