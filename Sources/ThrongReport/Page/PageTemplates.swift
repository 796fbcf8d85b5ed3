internal import Mustache
internal import ThrongPlan

/// The page's templates and style, compiled into the program.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary
    private let css: String
    private let labelCSS: String

    /// Parsed once.
    static let shared = Result { () throws(ReportError) in try PageTemplates() }

    private init() throws(ReportError) {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        let sources: [(name: String, bytes: [UInt8])] = [
            ("report", PackageResources.report_mustache),
            ("section", PackageResources.section_mustache),
            ("bars", PackageResources.bars_mustache),
            ("columns", PackageResources.columns_mustache),
            ("heat", PackageResources.heat_mustache),
            ("stat", PackageResources.stat_mustache),
            ("table", PackageResources.table_mustache),
            ("label", PackageResources.label_mustache),
            ("labels", PackageResources.labels_mustache),
        ]
        var library = MustacheLibrary()
        for source in sources {
            // Every template names the escaping itself, so that it holds also where one is rendered alone.
            let text = "{{% CONTENT_TYPE: \(PageText.name)}}" + String(decoding: source.bytes, as: UTF8.self)
            do {
                try library.register(text, named: source.name)
            } catch {
                throw .template(name: source.name, reason: "\(error)")
            }
        }
        self.library = library
        css = String(decoding: PackageResources.report_css, as: UTF8.self)
        labelCSS = css + String(decoding: PackageResources.label_css, as: UTF8.self)
    }

    /// The page of a document.
    func page(of document: ReportDocument) throws(ReportError) -> String {
        try rendered(PageView(document, css: css), by: "report")
    }

    /// The page of a label.
    func page(of label: PrivacyLabel, root: String, trial: LabelTrial?) throws(ReportError) -> LabelPage {
        let view = LabelView(label, root: root, trial: trial, css: labelCSS)
        return LabelPage(html: try rendered(view, by: "label"), style: labelCSS)
    }

    /// The page that leads to those of several labels.
    func index(of labels: [PrivacyLabel]) throws(ReportError) -> LabelPage {
        LabelPage(html: try rendered(LabelIndexView(labels, css: labelCSS), by: "labels"), style: labelCSS)
    }

    private func rendered(_ view: Any, by template: String) throws(ReportError) -> String {
        guard let page = library.render(view, withTemplate: template) else {
            throw .template(name: template, reason: "it is missing")
        }
        return page
    }
}

extension ReportDocument {
    /// The report as one self-contained HTML page that is also well-formed XML: no script, nothing loaded.
    ///
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in template does not parse.
    public func html() throws(ReportError) -> String {
        try PageTemplates.shared.get().page(of: self)
    }
}
