internal import ThrongPlan

extension ReportDocument {
    /// The report as one self-contained HTML page that is also well-formed XML: no script, nothing loaded.
    ///
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in template does not parse.
    package func html() throws(ReportError) -> String { try PageTemplates.shared.get().page(of: self) }

    /// The drawings of its insights as files of their own.
    func drawings() throws(ReportError) -> [(insight: InsightName, svg: String)] {
        try PageTemplates.shared.get().drawings(of: self)
    }
}

extension Language {
    /// The addition to the page's style for the paper of the reader's country; the style itself is for A4.
    var paperStyle: String {
        tag.text.hasSuffix("-US") || tag.text.hasSuffix("-CA") ? "@media print { @page { size: letter; } }\n" : ""
    }
}
