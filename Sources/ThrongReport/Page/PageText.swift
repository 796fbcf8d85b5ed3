internal import Mustache

/// How text from the plan gets into a page: escaped scalar by scalar, for element content and quoted attributes.
///
/// The library's own HTML escaping goes by grapheme clusters, so a quotation mark that is followed by a combining accent
/// passes it unescaped and ends an attribute. Controls, also directional ones, become U+FFFD: they could reorder a
/// neighbour's text, and some are no XML.
struct PageText: MustacheContentType {
    /// The name by which the template asks for it.
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
