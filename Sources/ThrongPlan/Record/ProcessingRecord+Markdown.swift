extension ProcessingRecord {
    /// The record as Markdown, without a line feed at its end. What the plan says is text in it and never markup.
    package var markdown: String {
        var page = MarkdownPage()
        page.heading(1, "Record of processing: \(title)")
        page.paragraph(
            """
            What Throng counts for \(title) (\(app)), in the order of Article 30(1) of Regulation (EU) 2016/679 (GDPR). Written by \
            `throng plan label --record` from plan \(plan); a changed plan needs a new record. It is for the house and its supervisory \
            authority: `throng plan label` writes for the public. Points **to decide** are in no plan; they are the author's.
            """)
        writeController(to: &page)
        writePurposes(to: &page)
        writePeople(to: &page)
        writeData(to: &page)
        writeRecipients(to: &page)
        writeErasure(to: &page)
        page.heading(2, "7. Measures (Art. 30(1)(g))")
        page.paragraph("What Throng does by itself:")
        page.list(measures.map { "**\($0.kind.title).** \($0.text)" } + points(.measures))
        return page.text
    }

    private func points(_ part: OpenPoint.Part) -> [MarkdownText] {
        open.filter { $0.part == part }.map { "**To decide.** \($0.text)" }
    }

    private func writeController(to page: inout MarkdownPage) {
        page.heading(2, "1. Controller (Art. 30(1)(a))")
        page.list(
            ["**Answers for the plan:** \(controller.owner)", "**Contact for the public:** \(controller.contact)"]
                + points(.controller))
    }

    private func writePurposes(to page: inout MarkdownPage) {
        page.heading(2, "2. Purposes (Art. 30(1)(b))")
        for purpose in purposes {
            page.heading(3, "Purpose \(purpose.name)")
            let signals = purpose.refusedBy.map(\.rawValue).listed
            page.list([
                "**What for:** \(purpose.explanation)",
                "**Used for:** \(purpose.use?.words(in: .english) ?? "the plan has no word for it")",
                "**Legal basis:** \(purpose.basisText)", "**Refused by:** \(signals.isEmpty ? "no signal" : signals)",
                """
                **An identifier lives:** \(purpose.rotationSeconds.map { Duration.seconds($0).planText } ?? "there is none")
                """, "**Numbers are kept:** \(Duration.seconds(purpose.retentionSeconds).planText)",
            ])
            page.table(
                ["metric", "question", "decision", "owner", "events", "until"],
                purpose.metrics.map { metric in
                    [
                        "\(metric.title) (\(metric.name))", "\(metric.question)", "\(metric.decision)",
                        "\(metric.owner)", "\(metric.events.map(\.text).listed)", "\(metric.until)",
                    ]
                })
        }
        page.list(points(.purposes))
    }

    private func writePeople(to page: inout MarkdownPage) {
        page.heading(2, "3. People (Art. 30(1)(c))")
        page.list(["**Who:** \(people.text)"] + points(.people))
    }

    private func writeData(to page: inout MarkdownPage) {
        page.heading(2, "4. Data (Art. 30(1)(c))")
        page.paragraph(
            """
            An event comes over a connection that has an address, which is not kept. \(arrival) Of the event itself this is kept, \
            as counters that belong to nobody:
            """)
        page.table(
            ["what devices send", "for", "becomes", "how coarsely"],
            data.flatMap { field in
                let purposes = field.purposes.map(\.text).listed
                return field.uses.map { use in
                    ["\(field.name)", "\(purposes)", "\(use.title)", "\(use.precision)"] as [MarkdownText]
                }
            })
        page.list(points(.data))
    }

    private var arrival: MarkdownText {
        if purposes.allSatisfy({ $0.rotationSeconds == nil }) { return "No identifier comes with it." }
        let own: MarkdownText = purposes.contains { $0.rotationSeconds == nil } ? ", if that has any" : ""
        return "It has the identifier of its purpose\(own), which is kept until its window is over (part 7)."
    }

    private func writeRecipients(to page: inout MarkdownPage) {
        page.heading(2, "5. Recipients and transfers (Art. 30(1)(d) and (e))")
        page.paragraph("Inside the house, analysts see all released numbers. \(Plan.countsReaders) Outside of it:")
        page.list(recipients.isEmpty ? ["Nobody."] : [])
        for recipient in recipients {
            page.heading(3, recipient.name == Partner.everybody ? "Everybody" : "Partner \(recipient.title)")
            page.list(
                ["**Name in the plan:** \(recipient.name)", "**Contact:** \(recipient.contact)"]
                    + (recipient.reports.isEmpty ? ["**Receives:** nothing"] : []))
            for report in recipient.reports { writeReport(report, to: &page) }
        }
        page.list(points(.recipients))
    }

    private func writeReport(_ report: Report, to page: inout MarkdownPage) {
        page.heading(4, "Report \(report.title) (\(report.name))")
        let condition = report.isAlert == true ? ", where its alert asks for it" : ""
        page.list([
            "**Covers:** a \(report.period.rawValue)",
            "**Made:** \(report.schedule.map { "\($0) (cron, \(timeZone))\(condition)" } ?? "by hand")",
            "**Goes to:** \(report.deliveries.isEmpty ? "its page here" : report.deliveries.listed)",
            "**Kept by the daemon:** \(Duration.seconds(report.keptSeconds).planText) after its period",
        ])
        page.table(
            ["what it says", "insight", "metric"],
            report.insights.map { ["\($0.title)", "\($0.name)", "\($0.metric)"] })
    }

    private func writeErasure(to page: inout MarkdownPage) {
        page.heading(2, "6. Erasure (Art. 30(1)(f))")
        page.paragraph("Ages count from the end of the period that a number covers.")
        for metric in erasure {
            page.heading(3, "Metric \(metric.title) (\(metric.metric))")
            let first: [MarkdownText] = ["released", "", "\(metric.released.text)"]
            page.table(
                ["age", "goes", "what is left"],
                [first]
                    + metric.steps.map { step in
                        ["\(Duration.seconds(step.afterSeconds).planText)", "\(step.goes)", "\(step.left.text)"]
                    })
        }
        page.list(points(.erasure))
    }
}

/// A piece of Markdown in which only literals in source code are markup: whatever is put into it is text.
///
/// Backslashes go before what CommonMark and GitHub's tables take for markup. Line breaks, control characters and those
/// that turn the direction of writing become spaces. So a text can begin no heading, list, table, link or element.
struct MarkdownText: ExpressibleByStringInterpolation, Sendable, Hashable {
    let source: String

    /// Markup.
    init(stringLiteral value: String) { source = value }

    /// Markup with texts in it.
    init(stringInterpolation: StringInterpolation) { source = stringInterpolation.source }

    /// Pieces with markup between them.
    init(joining pieces: [MarkdownText], by separator: MarkdownText) {
        source = pieces.map(\.source).joined(separator: separator.source)
    }

    /// Takes markup as it is, and texts as texts.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) { source.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { source += literal }
        mutating func appendInterpolation(_ text: String) { source += MarkdownText.escaped(text) }
        mutating func appendInterpolation(_ number: some BinaryInteger) { source += "\(number)" }
        mutating func appendInterpolation<Thing>(_ name: Name<Thing>) { source += MarkdownText.escaped(name.text) }
        mutating func appendInterpolation(_ markdown: MarkdownText) { source += markdown.source }
    }

    private static let markup = Set("\\`*_[]<>#|~&${}".unicodeScalars)
    /// Signs that begin a list, a heading's underline or a quotation at the start of a line.
    private static let openers = Set("-+=:".unicodeScalars)

    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isNumber = true
        for scalar in text.unicodeScalars {
            if isBlank(scalar) {
                guard let last = result.last, last != " " else { continue }
                result.append(" ")
                isNumber = false
                continue
            }
            // "1." and "1)" begin a list; CommonMark takes up to nine digits.
            let isListed = isNumber && !result.isEmpty && (scalar == "." || scalar == ")")
            if markup.contains(scalar) || result.isEmpty && openers.contains(scalar) || isListed { result.append("\\") }
            result.append(scalar)
            isNumber = isNumber && ("0"..."9").contains(scalar)
        }
        while result.last == " " { result.removeLast() }
        return String(result)
    }

    /// True for spaces, breaks, and what could make a text look like another.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
        default: scalar.properties.isBidiControl
        }
    }
}

struct MarkdownPage: Sendable {
    private var blocks: [String] = []

    /// The page without a line feed at its end.
    var text: String { blocks.joined(separator: "\n\n") }

    mutating func heading(_ level: Int, _ text: MarkdownText) {
        blocks.append(String(repeating: "#", count: level) + " " + text.source)
    }

    mutating func paragraph(_ text: MarkdownText) { blocks.append(text.source) }

    /// A list; nothing if it is empty.
    mutating func list(_ items: [MarkdownText]) {
        if !items.isEmpty { blocks.append(items.map { "- " + $0.source }.joined(separator: "\n")) }
    }

    /// A table; nothing if it has no rows.
    mutating func table(_ header: [MarkdownText], _ rows: [[MarkdownText]]) {
        guard !rows.isEmpty else { return }
        let rule: [MarkdownText] = header.map { _ in "---" }
        blocks.append(
            ([header, rule] + rows).map { "| " + $0.map(\.source).joined(separator: " | ") + " |" }
                .joined(separator: "\n"))
    }
}
