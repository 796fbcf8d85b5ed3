internal import ThrongPlan

/// The page that checks signed reports in a browser: one file that asks no network, in all languages of the catalogues.
///
/// It is well-formed XML, and works from a disk. Its script finds the reader's language.
package struct VerifyPage: Sendable {
    package let html: String
    /// The texts of its style and of its script, for a policy that names them by their hashes.
    package let style: String
    package let script: String

    /// - Throws: ``ReportError/template(name:reason:)`` where the built-in template does not parse.
    package init() throws(ReportError) {
        style = PageStyle.base + PageStyle.controls + String(decoding: PackageResources.verify_css, as: UTF8.self)
        script = String(decoding: PackageResources.verify_js, as: UTF8.self)
        let messages = Message.allCases.filter { $0.rawValue.hasPrefix("verify") }
        let catalogues = JSONText.object(
            Language.all.map { language in
                let words = messages.map { ($0.rawValue, JSONText.string(language.catalogue[$0])) }
                let side = language.isRightToLeft ? "rtl" : "ltr"
                return (language.tag.text, .object(words + [("dir", .string(side))]))
            })
        let view: TemplateView = [
            "css": style, "script": script, "catalogues": catalogues.written(), "say": Language.english.words,
        ]
        html = try PageLibrary([("verify", PackageResources.verify_mustache)]).rendered(view, by: "verify")
    }
}
