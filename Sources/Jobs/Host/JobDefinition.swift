package import JSON

/// A job as its script says it is, at this moment.
package struct JobDefinition: Sendable {
  package var name: String
  package var path: String
  package var digest: String
  /// The table given to `b2c.job`; nil where there is none.
  package var declaration: JSON?
  /// The permissions of the script's header, as flags.
  package var needs: [String]
  /// Why the declaration could not be read.
  package var trouble: String?

  package init(
    name: String, path: String, digest: String, declaration: JSON?, needs: [String] = [], trouble: String? = nil
  ) {
    self.name = name
    self.path = path
    self.digest = digest
    self.declaration = declaration
    self.needs = needs
    self.trouble = trouble
  }
}
