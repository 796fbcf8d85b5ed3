internal import ThrongPlan
internal import ThrongReport

/// Two periods of one report side by side: what is published of both, and how it changed.
struct ComparisonView {
    /// An insight.
    struct Section {
        let sectionAnchor: String
        let sectionTitle: String
        let sectionBasis: String
        let groupHeading: String
        /// One, where each line compares two periods of its own.
        let whenHeadings: [String]
        let fromHeading: String
        let toHeading: String
        let rows: [Line]
    }

    struct Line {
        let group: String
        let whens: [String]
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
    let wording: String
    /// One, where a ranking has rows that the other period's has not.
    let rankingNotes: [String]
    let sections: [Section]

    /// What stands where a ranking does not name a row that the other one does.
    private static let unnamed = "not named"

    /// Compares what the later report says with what the earlier one says.
    init(_ from: ReportReading, _ to: ReportReading, frame: PageFrame) {
        self.frame = frame
        reportTitle = to.title
        (fromTitle, toTitle) = (from.period.title, to.period.title)
        wording = to.withheld.prefix(1).uppercased() + to.withheld.dropFirst()
        let sections = to.insights.map { insight in
            Pair(
                from: from.insights.first { $0.name == insight.name }, to: insight, locale: to.locale,
                labels: (from.period.label, to.period.label)
            ).section
        }
        self.sections = sections
        let isUnnamed = sections.contains { $0.rows.contains { $0.cells.contains { $0.words == [Self.unnamed] } } }
        rankingNotes =
            isUnnamed
            ? ["\u{201c}Not named\u{201d}: a ranking names its largest published rows; this is smaller or withheld."]
            : []
    }

    /// One insight in both reports.
    private struct Pair {
        typealias Insight = ReportReading.Insight
        typealias Figure = ReportReading.Figure

        let from: Insight?
        let to: Insight
        let locale: ReportLocale
        let labels: (from: String, to: String)

        var section: Section {
            let earlier = from?.points ?? []
            let isTrend = !earlier.isEmpty && !(to.points ?? []).isEmpty
            // Without groups, the periods are what a line is called.
            let hasWhens = isTrend && !to.dimensions.isEmpty
            var rows = isTrend ? trend(earlier, to.points ?? []) : lines(from?.rows ?? [], to.rows)
            if let whole = to.whole {
                let whens = hasWhens ? [when(labels.from, labels.to)] : []
                rows.append(line("All", from?.whole, whole, whens: whens, isTotal: true))
            }
            return Section(
                sectionAnchor: to.name, sectionTitle: to.title, sectionBasis: to.basis?.statement ?? "",
                groupHeading: to.dimensions.isEmpty
                    ? isTrend ? "Periods" : "Group" : to.dimensions.map(\.title).joined(separator: ", "),
                whenHeadings: hasWhens ? ["Periods"] : [], fromHeading: isTrend ? "Earlier" : labels.from,
                toHeading: isTrend ? "Later" : labels.to, rows: rows)
        }

        /// The rows of the later report, then those that only the earlier one has.
        private func lines(
            _ first: [ReportReading.Row], _ second: [ReportReading.Row], whens: [String] = []
        ) -> [Line] {
            let earlier = Dictionary(first.map { ($0.buckets, $0.figure) }) { first, _ in first }
            let later = Set(second.map(\.buckets))
            let lines =
                second.map { line(group($0.buckets), earlier[$0.buckets], $0.figure, whens: whens) }
                + first.filter { !later.contains($0.buckets) }.map {
                    line(group($0.buckets), $0.figure, nil, whens: whens)
                }
            return lines.isEmpty ? [line(to.title, nil, nil, whens: whens)] : lines
        }

        /// Each period of the later trend beside the one in the same place of the earlier trend.
        private func trend(_ first: [ReportReading.Point], _ second: [ReportReading.Point]) -> [Line] {
            zip(first.reversed(), second.reversed()).reversed().flatMap { earlier, later in
                let periods = when(earlier.period.label, later.period.label)
                guard to.dimensions.isEmpty else { return lines(earlier.rows, later.rows, whens: [periods]) }
                return [line(periods, earlier.rows.first?.figure, later.rows.first?.figure, whens: [])]
            }
        }

        /// How many decimals all numbers of a column of means have: JSON's readers drop zeros at the end.
        private var places: Int {
            guard to.kind == "mean" else { return 0 }
            let points = (from?.points ?? []) + (to.points ?? [])
            let figures = ((from?.rows ?? []) + to.rows + points.flatMap(\.rows)).map(\.figure)
            let wholes = [from?.whole, to.whole].compactMap(\.self)
            return (figures + wholes).compactMap(\.value?.decimals.places).max() ?? 0
        }

        private func when(_ first: String, _ second: String) -> String { "\(first), \(second)" }

        private func line(
            _ group: String, _ first: Figure?, _ second: Figure?, whens: [String], isTotal: Bool = false
        ) -> Line {
            Line(
                group: group, whens: whens, isTotal: isTotal,
                cells: [cell(first, in: from), cell(second, in: to), change(first, second)])
        }

        private func group(_ buckets: [String]) -> String {
            guard let last = buckets.last else { return to.title }
            let name: String? =
                switch to.kind {
                case "quantiles": QuantileReading.name(ofRow: last, in: locale)
                case "frequency": to.basis.map { FrequencyBands(counting: $0.counts).words(last, in: locale) }
                default: nil
                }
            return (buckets.dropLast() + [name ?? last]).joined(separator: ", ")
        }

        private func cell(_ figure: Figure?, in insight: Insight?) -> Cell {
            guard let figure else { return .word(absence(in: insight)) }
            if figure.status == .withheld { return .mark(Withheld.marker) }
            if let marker = figure.status.marker { return .word(marker) }
            if let value = figure.value?.decimals {
                return .number(to.unit == "share" ? locale.percent(value) : locale.text(value.padded(to: places)))
            }
            return .number(QuantileReading.band(from: figure.low?.decimals, to: figure.high?.decimals, in: locale))
        }

        /// Why a report has no such row.
        private func absence(in insight: Insight?) -> String {
            guard let insight else { return "not in the report" }
            if let marker = NumberStatus(rawValue: insight.status)?.marker { return marker }
            return insight.view.as == "ranking" ? ComparisonView.unnamed : "no such group"
        }

        /// Given only where both are published: a difference with a withheld number would give it away.
        private func change(_ first: Figure?, _ second: Figure?) -> Cell {
            guard first?.status == .published, second?.status == .published, let then = first?.value?.decimals,
                let now = second?.value?.decimals, let difference = now.less(then)
            else { return .word("") }
            if to.unit == "share" { return .number(locale.signedPoints(difference)) }
            return .number(difference.over(then).map(locale.signedPercent) ?? locale.signed(difference))
        }
    }
}
