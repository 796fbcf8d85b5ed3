internal import ThrongPlan

/// The page's templates and style, compiled into the program.
struct PageTemplates: Sendable {
    private let library: PageLibrary
    private let css = PageStyle.base
    private let labelCSS =
        PageStyle.base + PageStyle.controls + String(decoding: PackageResources.label_css, as: UTF8.self)

    static let shared = Result { () throws(ReportError) in try PageTemplates() }

    private init() throws(ReportError) {
        library = try PageLibrary([
            ("report", PackageResources.report_mustache), ("section", PackageResources.section_mustache),
            ("bars", PackageResources.bars_mustache), ("lines", PackageResources.lines_mustache),
            ("axis", PackageResources.axis_mustache), ("plot", PackageResources.plot_mustache),
            ("drawing", PackageResources.drawing_mustache),
            ("ranges", PackageResources.ranges_mustache), ("spark", PackageResources.spark_mustache),
            ("heat", PackageResources.heat_mustache), ("share", PackageResources.share_mustache),
            ("table", PackageResources.table_mustache), ("label", PackageResources.label_mustache),
            ("labels", PackageResources.labels_mustache), ("letter", PackageResources.letter_mustache),
        ])
    }

    func page(of document: ReportDocument) throws(ReportError) -> String {
        try library.rendered(PageView.of(document, css: css + document.locale.paperStyle), by: "report")
    }

    /// The drawings of a document, by the names of their insights.
    func drawings(of document: ReportDocument) throws(ReportError) -> [(insight: InsightName, svg: String)] {
        var drawings: [(insight: InsightName, svg: String)] = []
        for answer in document.answers {
            guard let view = DrawingView.of(answer, in: document, css: PageStyle.drawing) else { continue }
            // No table stands beside it.
            let table = PageText().escapeText(document.locale.say(.alsoInTable))
            let svg = try library.rendered(view, by: "drawing").replacing(table, with: "")
            drawings.append((answer.insight.name, svg))
        }
        return drawings
    }

    func letter(_ view: TemplateView) throws(ReportError) -> String { try library.rendered(view, by: "letter") }

    func page(of label: PrivacyLabel, root: String, trial: LabelTrial?) throws(ReportError) -> LabelPage {
        let view = LabelView.of(label, root: root, trial: trial, css: labelCSS)
        return LabelPage(html: try library.rendered(view, by: "label"), style: labelCSS)
    }

    func index(of labels: [PrivacyLabel]) throws(ReportError) -> LabelPage {
        LabelPage(html: try library.rendered(LabelIndexView.of(labels, css: labelCSS), by: "labels"), style: labelCSS)
    }
}
