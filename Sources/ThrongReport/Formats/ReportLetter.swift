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
