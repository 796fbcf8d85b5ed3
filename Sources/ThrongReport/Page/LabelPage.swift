package import ThrongPlan

/// A page that tells visitors what is counted: self-contained, without script, well-formed XML, everything escaped.
package struct LabelPage: Sendable, Hashable {
    /// The document.
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
