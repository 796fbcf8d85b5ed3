internal import Foundation
internal import ThrongReport

/// Two periods of one report side by side: what is published of both, and how it changed.
struct ComparisonView {
    /// An insight.
    struct Section {
        let sectionAnchor: String
        let sectionTitle: String
        let sectionBasis: String
        let groupHeading: String
        let rows: [Line]
    }

    struct Line {
        let group: String
        let isTotal: Bool
        /// The earlier number, the later one, the change.
        let cells: [Cell]
    }

    /// A number, the mark of a withheld one, or a word.
    struct Cell {
        let numbers: [String]
        let marks: [String]
        let words: [String]

        static func number(_ text: String) -> Cell { Cell(numbers: [text], marks: [], words: []) }
        static func mark(_ text: String) -> Cell { Cell(numbers: [], marks: [text], words: []) }
        static func word(_ text: String) -> Cell { Cell(numbers: [], marks: [], words: [text]) }
    }

    let frame: PageFrame
    let reportTitle: String
    let fromTitle: String
    let toTitle: String
    let fromLabel: String
    let toLabel: String
    let wording: String
    let sections: [Section]

    /// Compares what the later report says with what the earlier one says.
    init(_ from: ReportReading, _ to: ReportReading, frame: PageFrame) {
        self.frame = frame
        reportTitle = to.title
        (fromTitle, toTitle) = (from.period.title, to.period.title)
        (fromLabel, toLabel) = (from.period.label, to.period.label)
        wording = to.withheld.prefix(1).uppercased() + to.withheld.dropFirst()
        sections = to.insights.map { insight in
            Self.section(from.insights.first { $0.name == insight.name }, insight)
        }
    }

    private static func section(_ from: ReportReading.Insight?, _ to: ReportReading.Insight) -> Section {
        let isShare = to.unit == "share"
        let earlier = Dictionary((from?.rows ?? []).map { ($0.buckets, $0.figure) }) { first, _ in first }
        func line(
            _ group: String, _ first: ReportReading.Figure?, _ second: ReportReading.Figure?, isTotal: Bool = false
        ) -> Line {
            Line(
                group: group, isTotal: isTotal,
                cells: [
                    cell(first, isShare: isShare), cell(second, isShare: isShare),
                    change(first, second, isShare: isShare),
                ])
        }
        var rows = to.rows.map { line(group(of: $0.buckets, in: to), earlier[$0.buckets], $0.figure) }
        if let whole = to.whole { rows.append(line("All", from?.whole, whole, isTotal: true)) }
        return Section(
            sectionAnchor: to.name, sectionTitle: to.title, sectionBasis: to.basis?.statement ?? "",
            groupHeading: to.dimensions.isEmpty ? "" : to.dimensions.map(\.title).joined(separator: ", "), rows: rows)
    }

    private static func group(of buckets: [String], in insight: ReportReading.Insight) -> String {
        buckets.isEmpty ? insight.title : buckets.joined(separator: ", ")
    }

    private static func cell(_ figure: ReportReading.Figure?, isShare: Bool) -> Cell {
        guard let figure else { return .word("not released") }
        switch figure.status {
        case "published", "derived":
            return figure.value.map { .number(text($0, isShare: isShare)) } ?? .word("not released")
        case "withheld": return .mark(Withheld.marker)
        case "impossible": return .word(Impossible.marker)
        default: return .word("not released")
        }
    }

    /// Given only where both are published: a difference with a withheld number would give it away.
    private static func change(
        _ first: ReportReading.Figure?, _ second: ReportReading.Figure?, isShare: Bool
    ) -> Cell {
        guard let from = first?.value, let to = second?.value, first?.status == "published",
            second?.status == "published"
        else { return .word("") }
        let difference = to - from
        if isShare { return .number("\(sign(difference))\(rounded(abs(difference) * 100, 1)) points") }
        if from == 0 { return .number(sign(difference) + rounded(abs(difference), 0)) }
        return .number("\(sign(difference))\(rounded(abs(difference) / abs(from) * 100, 1))%")
    }

    private static func sign(_ difference: Decimal) -> String {
        difference == 0 ? "±" : difference < 0 ? "\u{2212}" : "+"
    }

    private static func text(_ value: Decimal, isShare: Bool) -> String {
        isShare ? rounded(value * 100, 1) + "%" : grouped("\(value)")
    }

    private static func rounded(_ value: Decimal, _ places: Int) -> String {
        var (value, result) = (value, Decimal())
        NSDecimalRound(&result, &value, places, .bankers)
        var text = "\(result)"
        if places > 0, !text.contains(".") { text += "." + String(repeating: "0", count: places) }
        return grouped(text)
    }

    private static func grouped(_ text: String) -> String {
        let isNegative = text.hasPrefix("-")
        let parts = (isNegative ? text.dropFirst() : text[...]).split(separator: ".", maxSplits: 1)
        guard let whole = parts.first else { return text }
        var groups: [Substring] = []
        var rest = whole
        while rest.utf8.count > 3 {
            groups.append(rest.suffix(3))
            rest = rest.dropLast(3)
        }
        groups.append(rest)
        let fraction = parts.count > 1 ? "." + parts[1] : ""
        return (isNegative ? "\u{2212}" : "") + groups.reversed().joined(separator: ",") + fraction
    }
}
