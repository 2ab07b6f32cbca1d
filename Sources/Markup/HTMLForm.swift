/// A form of a page, as a browser without scripts would submit it.
package struct HTMLForm: Sendable, Equatable {
  /// As written in the page, to be resolved against its URL; nil when absent, which means the page's own URL.
  package var action: String?
  /// `GET` or `POST`.
  package var method: String
  /// Whether its fields are to be sent as `multipart/form-data` instead of `application/x-www-form-urlencoded`.
  package var isMultipart = false
  package var id: String?
  package var name: String?
  package var fields: [HTMLField]
  package var buttons: [HTMLButton]

  /// The fields that go along: named, not disabled, and for check boxes and radio buttons only checked ones.
  /// The button that is pressed adds its own name and value.
  package var submittedFields: [(String, String)] {
    fields.filter { !$0.name.isEmpty && !$0.isDisabled && $0.isChecked }.map { ($0.name, $0.value) }
  }
}

/// An `input`, `select` or `textarea`.
package struct HTMLField: Sendable, Equatable {
  package struct Option: Sendable, Equatable {
    package var value: String
    package var label: String
    package var isSelected: Bool
  }

  package var name: String
  package var id: String?
  /// In lower case: `text`, `password`, `hidden`, `checkbox`, `radio`, …, and `select`, `textarea`.
  package var type: String
  package var value: String
  /// Always true of what is neither a check box nor a radio button.
  package var isChecked: Bool
  /// The choices of a `select`.
  package var options: [Option]
  /// What the page calls it: its `label`, else its `aria-label`, else its `placeholder`.
  package var label: String?
  package var isDisabled: Bool
  /// What a browser may fill in: `username`, `current-password`, `one-time-code`, …
  package var autocomplete: String?
}

/// A `button`, or an `input` that acts as one.
package struct HTMLButton: Sendable, Equatable {
  package var name: String?
  package var id: String?
  package var value: String
  /// What is written on it.
  package var label: String
  /// `submit`, `image`, `reset` or `button`; the first two submit the form.
  package var type: String
  /// Replaces the form's action, when given.
  package var action: String?
  package var isDisabled: Bool

  package var submits: Bool { type == "submit" || type == "image" }
}
