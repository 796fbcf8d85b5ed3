internal import Foundation
internal import Mustache
package import ThrongPlan

/// The page's templates and style, compiled into the program.
struct PageTemplates: Sendable {
    private let library: PageLibrary
    private let css = PageStyle.base
    private let labelCSS =
        PageStyle.base + PageStyle.controls + String(decoding: PackageResources.label_css, as: UTF8.self)

    static let shared = Result { () throws(ReportError) in try PageTemplates() }

    private init() throws(ReportError) { library = try PageLibrary(PackageResources.all) }

    func page(of document: ReportDocument) throws(ReportError) -> String {
        try library.rendered(PageView.of(document, css: css + document.locale.paperStyle), by: "report")
    }

    /// The drawings of a document, in the order of its insights.
    func drawings(of document: ReportDocument) throws(ReportError) -> [Drawing] {
        var drawings: [Drawing] = []
        for answer in document.answers.map(\.inWords) {
            guard let (view, height) = DrawingView.of(answer, in: document, css: PageStyle.drawing) else { continue }
            // No table stands beside it.
            let table = PageText().escapeText(document.locale.say(.alsoInTable))
            let svg = try library.rendered(view, by: "drawing").replacing(table, with: "")
            drawings.append(Drawing(insight: answer.insight.name, svg: svg, height: height))
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

/// The drawing of one insight: SVG, and its size. Unit: pixels of CSS.
package struct Drawing: Sendable, Hashable {
    let insight: InsightName
    package let svg: String
    package let height: Int

    package static let width = 720

    /// The name of its file in a format, behind the stem of the report's files.
    package func fileName(_ stem: String, _ format: ReportFormat) -> String { "\(stem)-\(insight).\(format.rawValue)" }
}

/// The names of a template, or of one of its sections, with what each shows.
///
/// A name that an inner view lacks is looked up in the outer ones, so names are unique over all views of a page.
package typealias TemplateView = [String: Any]

/// Templates that are compiled into a program, and the escaping that every one of them has.
package struct PageLibrary: Sendable {
    private let library: MustacheLibrary

    /// Parses templates once.
    ///
    /// - Parameter files: those whose names end in `.mustache` are templates, named without it.
    /// - Throws: ``ReportError/template(name:reason:)`` where one does not parse.
    package init(_ files: [(name: String, bytes: [UInt8])]) throws(ReportError) {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for (file, bytes) in files where file.hasSuffix(".mustache") {
            let name = String(file.dropLast(".mustache".count))
            // Every template names the escaping itself, so that it holds also where one is rendered alone.
            let text = "{{% CONTENT_TYPE: \(PageText.name)}}" + String(decoding: bytes, as: UTF8.self)
            do { try library.register(text, named: name) } catch { throw .template(name: name, reason: "\(error)") }
        }
        self.library = library
    }

    /// A view as text.
    ///
    /// - Throws: ``ReportError/template(name:reason:)`` where there is no such template.
    package func rendered(_ view: Any, by template: String) throws(ReportError) -> String {
        guard let page = library.render(view, withTemplate: template) else {
            throw .template(name: template, reason: "it is missing")
        }
        return page
    }

    /// Returns a text as templates have it in their elements and attributes, for markup that one shows as a text.
    package static func escaped(_ text: String) -> String { PageText().escapeText(text) }
}

package enum PageStyle {
    /// Type scale, colours for light, dark and print, tiles, tables, marks of withheld numbers.
    package static let base = String(decoding: PackageResources.report_css, as: UTF8.self)
    /// The style of a drawing alone: two of the base's parts, which blank lines part.
    static let drawing = base.split(separator: "\n\n").filter { $0.hasPrefix(":root") || $0.hasPrefix("/* Axes") }
        .joined(separator: "\n")
    /// The style of what reports lack: links in a text, forms and buttons.
    package static let controls = String(decoding: PackageResources.controls_css, as: UTF8.self)
}

/// The escaping of text from the plan for a page: scalar by scalar, for element content and quoted attributes.
///
/// The library's own HTML escaping goes by grapheme clusters, so a quotation mark that is followed by a combining
/// accent passes it unescaped and ends an attribute. Controls, also directional ones, become U+FFFD: they could
/// reorder a neighbour's text, and some are no XML.
struct PageText: MustacheContentType {
    static let name = "THRONG-PAGE"

    func escapeText(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            case "\n", "\r", "\t": result.append(" ")
            case _ where scalar.isControl: result.append("\u{fffd}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

extension String {
    /// The width of the text, rather too wide than too narrow: pages are read in fonts that nobody knows here.
    ///
    /// - Unit: ems, of a sans serif as wide as they come, which is DejaVu Sans.
    var width: Double { unicodeScalars.reduce(0) { $0 + $1.width } }

    /// The text, or as much of its beginning as leaves room for an ellipsis.
    func shortened(toWidth most: Double) -> String {
        guard width > most else { return self }
        var kept = ""
        var left = most - Unicode.Scalar("…").width
        for character in self {
            left -= String(character).width
            guard left >= 0 else { break }
            kept.append(character)
        }
        return kept + "…"
    }
}

extension Unicode.Scalar {
    fileprivate var width: Double {
        switch self {
        case "i", "j", "l", "I", "|", ".", ",", ":", ";", "'", "!", " ", "·", "’": 0.36
        case "f", "r", "t", "(", ")", "[", "]", "/", "-": 0.44
        case "m", "w", "M", "W", "@", "%", "…", "—", "–": 1
        case "0"..."9", "a"..."z": 0.64
        // East Asian letters and pictures fill a square.
        case "\u{1100}"..."\u{115f}", "\u{2e80}"..."\u{a4cf}", "\u{ac00}"..."\u{d7a3}", "\u{f900}"..."\u{faff}",
            "\u{fe30}"..."\u{fe6f}", "\u{ff00}"..."\u{ff60}", "\u{ffe0}"..."\u{ffe6}", "\u{20000}"..."\u{3fffd}":
            1
        case "\u{1f000}"..."\u{1faff}": 1.4
        default:
            switch properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: 0
            default: 0.78
            }
        }
    }
}

extension LanguageTag {
    var isRightToLeft: Bool { Locale.Language(identifier: text).characterDirection == .rightToLeft }

    /// The attributes of an element whose text is in the language, after a space: ` lang="de" dir="ltr"`.
    package var attributes: String { " lang=\"\(text)\" dir=\"\(isRightToLeft ? "rtl" : "ltr")\"" }
}

extension LanguageTag? {
    /// The same; nothing where nobody knows the language.
    package var attributes: String { self?.attributes ?? "" }
}
