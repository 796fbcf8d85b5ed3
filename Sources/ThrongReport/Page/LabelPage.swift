package import ThrongPlan

/// A page that tells visitors what is counted: self-contained, without script, well-formed XML, everything escaped.
package struct LabelPage: Sendable, Hashable {
    package let html: String
    /// The text of its one style element, for a policy that names it by its hash.
    package let style: String

    /// The page that leads to those of several apps: `apps/APP`.
    ///
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in template does not parse.
    package static func index(of labels: [PrivacyLabel]) throws(ReportError) -> LabelPage {
        try PageTemplates.shared.get().index(of: labels)
    }
}

/// An event that somebody made up on a label's page, and all that would remain of it.
package struct LabelTrial: Sendable, Hashable {
    package let event: String
    /// The values that were written into the form, by field.
    package let values: [String: String]
    package let outcomes: [Outcome]

    /// The outcome of the event in one metric, or in none of a purpose.
    package struct Outcome: Sendable, Hashable {
        package let title: String
        package let text: String
        package let remains: [Remain]

        package init(title: String, text: String, remains: [Remain]) {
            (self.title, self.text, self.remains) = (title, text, remains)
        }
    }

    package struct Remain: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    package init(event: String, values: [String: String], outcomes: [Outcome]) {
        (self.event, self.values, self.outcomes) = (event, values, outcomes)
    }
}

extension PrivacyLabel {
    /// The label as a page.
    ///
    /// - Parameters:
    ///   - root: the way from the page to the daemon's root: "" or "../".
    ///   - trial: what somebody tried, if they did.
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in template does not parse.
    package func page(root: String, trial: LabelTrial? = nil) throws(ReportError) -> LabelPage {
        try PageTemplates.shared.get().page(of: self, root: root, trial: trial)
    }
}
