internal import Mustache

/// The names of a template, or of one of its sections, with what each shows.
///
/// A name that an inner view lacks is looked up in the outer ones, so names are unique over all views of a page.
package typealias TemplateView = [String: Any]

/// Templates that are compiled into a program, and the escaping that every one of them has.
package struct PageLibrary: Sendable {
    private let library: MustacheLibrary

    /// Parses templates once.
    ///
    /// - Parameter templates: by their names.
    /// - Throws: ``ReportError/template(name:reason:)`` where one does not parse.
    package init(_ templates: [(name: String, bytes: [UInt8])]) throws(ReportError) {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for template in templates {
            // Every template names the escaping itself, so that it holds also where one is rendered alone.
            let text = "{{% CONTENT_TYPE: \(PageText.name)}}" + String(decoding: template.bytes, as: UTF8.self)
            do {
                try library.register(text, named: template.name)
            } catch {
                throw .template(name: template.name, reason: "\(error)")
            }
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
