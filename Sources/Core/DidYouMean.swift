/// The question whether another name was meant: "did you mean 'sign-in' or 'sign-out'?" asks for those of the
/// candidates that `name` is the beginning of, else for the nearest; nil where none is meant.
package func didYouMean(_ name: String, among candidates: some Sequence<String>) -> String? {
  let candidates = Array(candidates)
  let begun = namesBeginning(with: name, in: candidates)
  let meant = begun.isEmpty ? [nearestName(to: name, in: candidates)].compactMap(\.self) : begun
  guard let last = meant.last else { return nil }
  let others = meant.dropLast().map { "'\($0)'" }.joined(separator: ", ")
  return "did you mean \(others.isEmpty ? "" : "\(others) or ")'\(last)'?"
}

/// Those of the candidates, in their order and each once; none where the beginning says little.
private func namesBeginning(with text: String, in candidates: [String]) -> [String] {
  guard text.utf8.count <= longestName, text.count > 1 else { return [] }
  var seen: Set<String> = []
  let found = candidates.filter { $0.lowercased().hasPrefix(text.lowercased()) && seen.insert($0).inserted }
  return found.count <= 4 ? found : []
}
