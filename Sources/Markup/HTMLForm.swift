/// A form of a page, as a browser without scripts would submit it.
package struct HTMLForm: Sendable, Equatable {
  /// The address as it is written in the page, relative to the page's URL; nil for the page's own URL.
  package var action: String?
  /// `GET` or `POST`.
  package var method: String
  /// True to send the fields as `multipart/form-data` instead of `application/x-www-form-urlencoded`.
  package var isMultipart = false
  package var id: String?
  package var name: String?
  package var fields: [HTMLField]
  package var buttons: [HTMLButton]

  /// The fields to submit: fields with a name that are not disabled; check boxes and radio buttons only if checked. The pressed
  /// button adds its own name and value.
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
  /// Always true for a field that is neither a check box nor a radio button.
  package var isChecked: Bool
  /// The choices of a `select`.
  package var options: [Option]
  /// The field's `label`, else its `aria-label`, else its `placeholder`.
  package var label: String?
  package var isDisabled: Bool
  /// The kind of value for a browser to fill in: `username`, `current-password`, `one-time-code`, …
  package var autocomplete: String?
}

/// A `button`, or an `input` that acts as one.
package struct HTMLButton: Sendable, Equatable {
  package var name: String?
  package var id: String?
  package var value: String
  /// The text on the button.
  package var label: String
  /// `submit`, `image`, `reset` or `button`; the first two submit the form.
  package var type: String
  /// An action that replaces the form's action.
  package var action: String?
  package var isDisabled: Bool

  package var submits: Bool { type == "submit" || type == "image" }
}
