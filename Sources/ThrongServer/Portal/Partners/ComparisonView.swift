internal import ThrongPlan
internal import ThrongReport

/// Two periods of one report side by side: what is published of both, and how it changed.
struct ComparisonView {
    /// An insight.
    struct Section {
        let sectionAnchor: String
        let sectionTitle: String
        /// One, where the two can't be compared: why.
        let differences: [String]
        let groupHeading: String
        /// One, where each line compares two periods of its own.
        let whenHeadings: [String]
        let fromHeading: String
        let toHeading: String
        let rows: [Line]
        /// The basis of the numbers; a part that differs is there for both periods.
        let basisParts: [String]
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
        let bounds: [String]
        let marks: [String]
        let words: [String]

        static func number(_ text: String, bounds: String? = nil) -> Cell {
            Cell(numbers: [text], bounds: [bounds].compactMap(\.self), marks: [], words: [])
        }
        static func mark(_ text: String) -> Cell { Cell(numbers: [], bounds: [], marks: [text], words: []) }
        static func word(_ text: String) -> Cell { Cell(numbers: [], bounds: [], marks: [], words: [text]) }
    }

    let frame: PageFrame
    let say: [String: String]
    let reportTitle: String
    let fromTitle: String
    let toTitle: String
    let spanTitle: String
    /// The notes that some rows need: those that only one period's ranking has, samples, quantiles.
    let readingNotes: [String]
    let sections: [Section]

    /// Compares what the later one of two reports says with what the earlier one says, in the frame's language.
    ///
    /// - Parameters:
    ///   - learned: the dimensions that get their buckets while counting goes on.
    ///   - plan: the words for what is counted and for buckets.
    init(_ one: ReportReading, _ other: ReportReading, learned: Set<String> = [], plan: Plan? = nil, frame: PageFrame) {
        // The two may be chosen in any order; a day comes before the week that it begins.
        func order(_ reading: ReportReading) -> (String, String) { (reading.period.start, reading.period.end) }
        let (from, to) = order(one) <= order(other) ? (one, other) : (other, one)
        let language = frame.language
        (self.frame, say) = (frame, frame.say)
        reportTitle = to.title
        (fromTitle, toTitle) = (from.periodTitle(in: language), to.periodTitle(in: language))
        spanTitle = language.list([fromTitle, toTitle])
        let difference = to.difference(from: from, in: language)
        let pairs = to.insights.map { insight in
            let metric = plan?.metric(MetricName(insight.metric))
            let isPart = [from, to].contains { $0.isPart(of: insight.metric) }
            let parts = isPart ? Absence.changed(.part).sentence(in: language) : nil
            return Pair(
                from: from.insights.first { $0.name == insight.name }, to: insight, locale: language,
                noun: metric?.noun, telling: plan?.tellingDimensions(of: metric) ?? [:],
                period: PeriodKind(rawValue: to.period.kind) ?? .day,
                labels: (from.period.label, to.period.label), reportDifference: difference ?? parts, learned: learned)
        }
        let sections = pairs.map(\.section)
        self.sections = sections
        let unnamed = language.say(.compareMark, ["mark": "unnamed"])
        let needed: [(note: String, isNeeded: Bool)] = [
            ("change", true),
            ("unnamed", sections.contains { $0.rows.contains { $0.cells.contains { $0.words == [unnamed] } } }),
            ("interval", sections.contains { $0.rows.contains { !($0.cells.last?.bounds ?? []).isEmpty } }),
            ("bounds", pairs.contains(where: \.hasIntervals)),
            ("quantiles", to.insights.contains { $0.kind == "quantiles" }),
        ]
        readingNotes = needed.filter(\.isNeeded).map { language.say(.compareNote, ["note": $0.note]) }
    }

    /// One insight in both reports.
    private struct Pair {
        typealias Insight = ReportReading.Insight
        typealias Figure = ReportReading.Figure

        let from: Insight?
        let to: Insight
        let locale: Language
        let noun: Noun?
        let telling: [DimensionName: Dimension]
        let period: PeriodKind
        let labels: (from: String, to: String)
        /// The reason why none of the reports' numbers can be compared; nil where some may be.
        let reportDifference: String?
        let learned: Set<String>

        /// The reason why the numbers can't be compared; nil where they can.
        private var difference: String? {
            from.flatMap { earlier in reportDifference ?? to.difference(from: earlier, learned: learned, in: locale) }
        }

        private var wording: Wording { Wording(locale, of: noun) }

        var hasIntervals: Bool {
            [from, to].contains { $0.map { $0.kind != "quantiles" && $0.figures.contains { $0.low != nil } } ?? false }
        }

        var section: Section {
            let earlier = from?.points ?? []
            let isTrend = !earlier.isEmpty && !(to.points ?? []).isEmpty
            // The lines of an insight without groups are named by their periods.
            let hasWhens = isTrend && !to.dimensions.isEmpty
            var rows = isTrend ? trend(earlier, to.points ?? []) : lines(from?.rows ?? [], to.rows)
            if let whole = to.whole {
                let whens = hasWhens ? [when(labels.from, labels.to)] : []
                rows.append(line(locale.say(.headAll), from?.whole, whole, whens: whens, isTotal: true))
            }
            let periods = locale.say(.headPeriod)
            return Section(
                sectionAnchor: to.name, sectionTitle: to.title, differences: [difference].compactMap(\.self),
                groupHeading: to.dimensions.isEmpty
                    ? isTrend ? periods : locale.say(.headGroup)
                    : to.dimensions.map(\.title).joined(separator: locale.say(.comma)),
                whenHeadings: hasWhens ? [periods] : [], fromHeading: isTrend ? locale.say(.earlier) : labels.from,
                toHeading: isTrend ? locale.say(.later) : labels.to, rows: rows, basisParts: basis)
        }

        /// The basis of the numbers; a part that is the same for both is there once.
        private var basis: [String] {
            let sides = [from, to].map { $0?.ground(in: wording, period) }
            guard let then = sides[0], let now = sides[1] else { return sides[1] ?? sides[0] ?? [] }
            return zip(then, now).map { then, now in then == now ? now : "\(labels.from): \(then); \(labels.to): \(now)"
            }
        }

        /// The rows of the later report, then those that only the earlier one has.
        private func lines(_ first: [ReportReading.Row], _ second: [ReportReading.Row], whens: [String] = []) -> [Line]
        {
            let earlier = Dictionary(first.map { ($0.buckets, $0.figure) }) { first, _ in first }
            let later = Set(second.map(\.buckets))
            let lines =
                second.map { line(group($0.buckets, of: to), earlier[$0.buckets], $0.figure, whens: whens) }
                + first.filter { !later.contains($0.buckets) }.map {
                    line(group($0.buckets, of: from ?? to), $0.figure, nil, whens: whens)
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

        /// The number of decimals that all numbers of a column of means have: JSON's readers drop zeros at the end.
        private var places: Int {
            let means = [from, to].compactMap(\.self).filter { $0.kind == "mean" }
            return means.flatMap(\.figures).compactMap { $0.value?.places }.max() ?? 0
        }

        private func when(_ first: String, _ second: String) -> String { first + locale.say(.comma) + second }

        private func line(_ group: String, _ first: Figure?, _ second: Figure?, whens: [String], isTotal: Bool = false)
            -> Line
        {
            Line(
                group: group, whens: whens, isTotal: isTotal,
                cells: [cell(first, in: from), cell(second, in: to), change(first, second)])
        }

        private func group(_ buckets: [String], of insight: Insight) -> String {
            guard let last = buckets.last else { return to.title }
            let name: String? =
                switch insight.kind {
                case "quantiles": QuantileReading.name(ofRow: last, in: locale)
                case "frequency": insight.basis.map { locale.times(last, endsBefore: $0.counts != .identifiers) }
                default: nil
                }
            let named = buckets.enumerated().map { place, bucket in
                let axis = insight.dimensions.indices.contains(place) ? insight.dimensions[place].name : ""
                return locale.words(for: BucketLabel(bucket), by: telling[DimensionName(axis)])
            }
            return (named.dropLast() + [name ?? named[named.count - 1]]).joined(separator: locale.say(.comma))
        }

        private func cell(_ figure: Figure?, in insight: Insight?) -> Cell {
            guard let figure, let insight else { return .word(absence(in: insight)) }
            if figure.status == .withheld { return .mark(figure.status.marker(in: locale) ?? "") }
            if let marker = figure.status.marker(in: locale) { return .word(marker) }
            guard insight.kind == "quantiles" else {
                guard let value = figure.value else { return .word("") }
                let shown = insight.areEstimates ? wording.about(value) : text(rounded(value, in: insight), of: insight)
                return .number(shown, bounds: figure.interval.map { text($0, of: insight) })
            }
            let band = locale.band(from: figure.low.map(locale.text), to: figure.high.map(locale.text))
            return figure.value.map { .number(locale.text($0), bounds: band) } ?? .number(band)
        }

        /// A number as a report's page has it, to the first digit of its margin.
        private func rounded(_ value: Decimals, in insight: Insight) -> Decimals {
            guard !insight.isShare, insight.kind != "mean", let margin = insight.basis?.margin else { return value }
            return value.rounded(toFirstDigitOf: Double(margin.within))
        }

        /// A number in the unit of its own report's insight.
        private func text(_ number: Decimals, of insight: Insight) -> String {
            if insight.isShare { return locale.percent(number) }
            return locale.text(insight.kind == "mean" ? number.padded(to: places) : number)
        }

        private func text(_ interval: Interval, of insight: Insight) -> String {
            let places = insight.kind == "mean" ? places : 0
            return wording.span(
                Interval(low: interval.low?.padded(to: places), high: interval.high?.padded(to: places)),
                isShare: insight.isShare)
        }

        private func absence(in insight: Insight?) -> String {
            if let insight, let marker = NumberStatus(rawValue: insight.status)?.marker(in: locale) { return marker }
            let mark = insight.map { $0.view.as == "ranking" ? "unnamed" : "group" } ?? "insight"
            return locale.say(.compareMark, ["mark": mark])
        }

        /// Given only where both are published: a difference with a withheld number would give it away. Quantiles have
        /// none, as in the report: only their bands are known.
        private func change(_ first: Figure?, _ second: Figure?) -> Cell {
            if difference != nil { return .word(NumberStatus.changed.marker(in: locale) ?? "") }
            guard let first, let second, first.status == .published, second.status == .published,
                to.kind != "quantiles", let then = first.value, let now = second.value, let gap = now.less(then)
            else { return .word("") }
            let relative = to.isShare ? nil : gap.over(then).map(locale.signedPercent)
            let absolute = wording.difference(gap.padded(to: places), isShare: to.isShare)
            guard let old = spread(of: first, then, in: from), let new = spread(of: second, now, in: to) else {
                return .word("")
            }
            // JSON's readers drop zeros at the end: the ends tell how fine the numbers are.
            let places = [gap, old.low, old.high, new.low, new.high].compactMap { $0?.places }.max() ?? 0
            let interval = Interval.difference(
                (now.approximate, new), (then.approximate, old), places: to.isShare ? Quantity.sharePlaces : places)
            let bounds = text(interval, of: to)
            if interval.ends.low <= 0, interval.ends.high >= 0 {
                return .number(locale.say(.aboutTheSame), bounds: bounds)
            }
            return .number(relative ?? absolute, bounds: relative == nil ? bounds : "\(absolute) (\(bounds))")
        }

        /// Returns the interval of a number: its own, or as far as its margin goes.
        private func spread(of figure: Figure, _ value: Decimals, in insight: Insight?) -> Interval? {
            if let interval = figure.interval { return interval }
            guard let insight, !insight.isShare, !insight.areEstimates, insight.kind != "mean",
                let margin = insight.basis?.margin, let low = value.less(Decimals(margin.within, over: 1, places: 0))
            else { return nil }
            let high = Decimals(units: value.units * 2 - low.units, places: low.places)
            return Interval(low: low, high: high)
        }
    }
}

extension ReportReading.Insight {
    /// True if its numbers are fractions of 1.
    fileprivate var isShare: Bool { unit == "share" }

    fileprivate var figures: [ReportReading.Figure] {
        (rows + (points ?? []).flatMap(\.rows)).map(\.figure) + [whole].compactMap(\.self)
    }

    /// True if its numbers were scaled up from a sample.
    fileprivate var areEstimates: Bool {
        ["count", "distribution", "frequency"].contains(kind) && (basis?.sampling.approximate ?? 1) < 1
    }

    /// Returns the basis of its numbers as a report says it, and last the share that is withheld, where that is
    /// known; nil where it has no answer.
    fileprivate func ground(in wording: Wording, _ period: PeriodKind) -> [String]? {
        guard let basis else { return nil }
        let ground = NumberBasis(
            counting: basis.counts, threshold: Threshold(devices: basis.k), sampling: basis.sampling.approximate,
            window: basis.windowSeconds, period: period, within: basis.margin.within,
            isOfTerms: ["share", "mean", "retention", "quantiles"].contains(kind), devices: basis.devices,
            floor: basis.floor ?? .any)
        let share = withheldShare.map { wording.locale.say(.compareWithheld, ["share": wording.locale.percent($0)]) }
        return ground.words(in: wording) + [share].compactMap(\.self)
    }
}

extension ReportReading.Figure {
    /// The interval that holds the number in 19 of 20 cases; nil where the margin says all.
    fileprivate var interval: Interval? { low == nil && high == nil ? nil : Interval(low: low, high: high) }
}
