internal import Foundation
internal import ThrongPlan

/// The words of a mail about a report: what stands out, its first answers, and what to do with the files that come with it.
///
/// It is kept beside the report's files, so that every try says the same, and goes with them by its age.
package struct ReportLetter: Codable, Hashable, Sendable {
    /// The name before the sender's address.
    package let sender: String
    package let subject: String
    package let text: String
    /// The same words as HTML, nothing loaded.
    package let page: String

    /// The most answers in a mail; all of them are in the files.
    private static let most = 3

    /// - Parameter files: those that come with it.
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in template does not parse.
    package init(of document: ReportDocument, with files: ReportFiles) throws(ReportError) {
        (sender, subject) = (document.app.title, "\(document.title): \(document.periodTitle)")
        let findings = Self.findings(of: document)
        let notes = Self.notes(on: document, files.all)
        let words =
            ["\(document.title)\n\(document.periodTitle)"] + document.partNotes + findings.map { "\($0.0)\n\($0.1)" }
            + ["-- "] + notes
        text = words.joined(separator: "\n\n") + "\n"
        let view: TemplateView = [
            "language": document.locale.tag.attributes, "subject": subject, "reportTitle": document.title,
            "periodTitle": document.periodTitle, "partNotes": document.partNotes,
            "findings": findings.map { ["findingTitle": $0.0, "findingSentence": $0.1] }, "notes": notes,
        ]
        page = try PageTemplates.shared.get().letter(view)
    }

    /// The letter as ``init(json:)`` reads it: the same bytes for the same words.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(self))
    }

    package init(json: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(json)) }

    /// The answers that a letter tells: what stands out, then the first of the others.
    private static func findings(of document: ReportDocument) -> [(String, String)] {
        let told = document.findings
        let others = document.answers.indices.filter { place in !told.contains { $0.place == place } }
        let all =
            told.map { ($0.title, $0.sentence) }
            + others.map { document.answers[$0].inWords }.map { ($0.insight.title, $0.sentence) }
        return Array(all.prefix(most))
    }

    private static func notes(on document: ReportDocument, _ files: [ReportFile]) -> [String] {
        let locale = document.locale
        let page = files.first { $0.name.hasSuffix(".html") } ?? files.first
        return [
            page.map { locale.say(.letterFile, ["file": $0.name]) },
            files.contains(where: \.isManifest) ? locale.say(.letterCheck) : nil,
            document.deleteBy.map { locale.say(.letterDelete, ["time": document.names.instant($0)]) },
            locale.say(
                .letterWhy,
                ["app": document.app.title, "partner": document.partner.title, "contact": document.app.contact]),
        ].compactMap { $0 }
    }
}

extension ReportFile {
    /// The end of a letter's name among a run's files; it is delivered to nobody as a file.
    package static let letterEnding = ".mail"
}

/// The page that checks signed reports in a browser: one file that asks no network, in all languages of the catalogues.
///
/// It is well-formed XML, and works from a disk. Its script finds the reader's language.
package struct VerifyPage: Sendable {
    package let html: String
    /// The texts of its style and of its script, for a policy that names them by their hashes.
    package let style: String
    package let script: String

    /// - Parameter hasKeys: whether `keys.json` is beside it, to which it leads then.
    /// - Throws: ``ReportError/template(name:reason:)`` where the built-in template does not parse.
    package init(hasKeys: Bool = true) throws(ReportError) {
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
            "hasKeys": hasKeys,
        ]
        html = try PageLibrary([("verify.mustache", PackageResources.verify_mustache)]).rendered(view, by: "verify")
    }
}

extension ReportDocument {
    /// The report as one self-contained HTML page that is also well-formed XML: no script, nothing loaded.
    ///
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in template does not parse.
    package func html() throws(ReportError) -> String { try PageTemplates.shared.get().page(of: self) }

    /// The drawings of its insights as files of their own.
    ///
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in template does not parse.
    package func drawings() throws(ReportError) -> [Drawing] { try PageTemplates.shared.get().drawings(of: self) }
}

extension Language {
    /// The addition to the page's style for the paper of the reader's country; the style itself is for A4.
    var paperStyle: String {
        tag.text.hasSuffix("-US") || tag.text.hasSuffix("-CA") ? "@media print { @page { size: letter; } }\n" : ""
    }
}
