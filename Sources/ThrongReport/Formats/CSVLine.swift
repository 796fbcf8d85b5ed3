internal import ThrongPlan

/// One number of a report, or a change of one, before it is written as a line.
struct CSVLine {
    enum Row: String {
        case group
        /// The total of withheld groups, or of those without a rank.
        case rest
        case whole
        /// The change of one of the groups: the value is a difference.
        case change
    }

    var row = Row.group
    var period: String
    var buckets: [DimensionName: BucketLabel]
    var status: NumberStatus
    var value: Decimals?
    /// The two numbers that a quotient or an estimate was computed from.
    var quotient: (numerator: String, denominator: String)?
    var threshold: Threshold?
    var withheldShare: Decimals?
    var bounds: (low: Decimals?, high: Decimals?)?
    var rank: Int?
    var lastRank: Int?
    var against: String?
    var earlier: Decimals?
    var relative: Decimals?
    var ofPrevious: Decimals?
    var ofFirst: Decimals?
}

/// Columns that only those reports have which have such numbers.
enum CSVExtra: CaseIterable {
    /// The numbers that quotients and estimates were computed from.
    case quotient
    /// Bounds of estimates, bands of quantiles.
    case bounds
    /// The first and the last one that margins leave open.
    case rank
    case change
    case margin
    case funnel
    /// The dimensions that are coarser than asked, because of their age.
    case age

    var columns: [String] {
        switch self {
        case .quotient: ["numerator", "denominator"]
        case .bounds: ["low", "high"]
        case .rank: ["rank", "last_rank"]
        case .change: ["against", "earlier", "relative"]
        case .margin: ["margin", "rho"]
        case .funnel: ["of_previous", "of_first"]
        case .age: ["aged"]
        }
    }

    func isIn(_ answer: InsightAnswer) -> Bool {
        if case (.funnel, .funnel) = (self, answer.insight.kind) { return true }
        return switch (self, answer.insight.view) {
        case (.quotient, _): answer.answered != nil && answer.hasQuotients
        case (.bounds, _): answer.answered != nil && answer.hasBounds
        case (.rank, .ranking): true
        case (.change, .change): true
        case (.age, _): !(answer.answered?.aged ?? []).isEmpty
        case (.margin, _): answer.answered != nil
        case (.rank, _), (.change, _), (.funnel, _): false
        }
    }

    func cells(of line: CSVLine, _ answer: InsightAnswer) -> [CSVCell] {
        func number(_ number: Decimals?) -> CSVCell { number.map { .number("\($0)") } ?? .empty }
        switch self {
        case .quotient:
            return [line.quotient?.numerator, line.quotient?.denominator].map { $0.map { .number($0) } ?? .empty }
        case .bounds: return [number(line.bounds?.low), number(line.bounds?.high)]
        case .rank: return [line.rank, line.lastRank].map { $0.map { .number(String($0)) } ?? .empty }
        case .change: return [line.against.map { .text($0) } ?? .empty, number(line.earlier), number(line.relative)]
        case .funnel: return [number(line.ofPrevious), number(line.ofFirst)]
        case .age:
            let aged = (answer.answered?.aged ?? []).map { aged in
                aged.name.text + (aged.now.map { ">\($0.name)" } ?? "")
            }
            return [aged.isEmpty ? .empty : .text(aged.joined(separator: " "))]
        case .margin:
            guard let basis = answer.answered?.basis else { return [.empty, .empty] }
            // Sums and differences of several numbers have margins of their own.
            let isOwn = line.row == .group || line.row == .whole
            return [isOwn ? .number(String(basis.within)) : .empty, .text(basis.margin.cost)]
        }
    }
}

/// One cell of a CSV file (RFC 4180).
package enum CSVCell {
    /// Text from the plan, which may be hostile.
    case text(String)
    /// A number that this program wrote.
    case number(String)
    case empty

    /// The cell as it is written.
    ///
    /// Text that a spreadsheet could take for a formula gets an apostrophe in front: it starts with `=`, `+`, `-`, `@`
    /// (also their full-width forms), a tab or a line break, alone or after blanks. Whatever is not letters, digits and
    /// plain punctuation is quoted, also for readers that split at semicolons.
    /// Source: OWASP, "CSV Injection".
    package var written: String {
        switch self {
        case .empty: return ""
        case .number(let digits): return digits
        case .text(let text):
            let defused = Self.startsFormula(text) ? "'" + text : text
            guard !defused.utf8.allSatisfy(Self.isPlain) else { return defused }
            let doubled = defused.unicodeScalars.reduce(into: String.UnicodeScalarView()) { result, scalar in
                if scalar == "\"" { result.append("\"") }
                result.append(scalar)
            }
            return "\"" + String(doubled) + "\""
        }
    }

    private static func startsFormula(_ text: String) -> Bool {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}", "\t", "\r", "\n": return true
            case " ", "\u{a0}", "\u{feff}": continue
            default: return false
            }
        }
        return false
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isDigit || "_.-:/ ".utf8.contains(byte)
    }
}

extension String {
    /// The text in one line that shows all that is in it: controls, line breaks, directional and invisible marks are
    /// written as `\u{a}`, and a backslash as two. For terminals, where a name with a line break could pass as two
    /// lines.
    package var printable: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result += scalar == "\\" ? "\\\\" : String(scalar)
            }
        }
    }

    /// A file's name as bytes in ASCII alone: what is no plain letter, digit or mark is written as `\xff`, and a
    /// backslash as two, so that no two names look the same.
    package init(plainly name: some Sequence<UInt8>) {
        self = name.reduce(into: "") { result, byte in
            switch byte {
            case UInt8(ascii: "\\"): result += "\\\\"
            case 0x20...0x7e: result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "\\x\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))"
            }
        }
    }
}

extension Unicode.Scalar {
    /// True if the scalar steers how text around it is read or shown instead of being text: C0 and C1 controls, DEL,
    /// line and paragraph separators, directional marks, embeddings, overrides and isolates, and what XML cannot hold.
    package var isControl: Bool {
        switch value {
        case 0x00...0x1f, 0x7f...0x9f, 0x200e, 0x200f, 0x061c, 0x2028...0x202e, 0x2066...0x2069, 0xfeff, 0xfffe, 0xffff:
            true
        default: false
        }
    }
}

extension ReportDocument {
    /// The report as one tidy table: a line a number.
    ///
    /// Columns: `insight`, `period`, one a dimension that any insight uses (in order of first use; a dimension that a
    /// number is neither split by nor confined to is empty), `part` (of a share: the bucket whose share it is),
    /// `value`, `unit`, `basis`, `k`, `sampling`, `withheld_share` (of the insight's whole; empty is unknown),
    /// `status`, `row` (what the line is about: a group, the rest, the whole or a change). A dimension named like one
    /// of these columns is written as `dimension_<name>`.
    /// Further columns, each only where the report has such numbers: `numerator` and `denominator` (what a quotient or
    /// an estimate was computed from), `low` and `high` (bounds of an estimate, or the band
    /// of a quantile), `rank` and `last_rank` (what margins leave open), `against`, `earlier` and `relative` (of a
    /// change, whose `value` is the difference), `of_previous` and `of_first` (of a funnel's step: those that came so
    /// far as a part of those at the step before, and at the first), `margin` (within which 19 of 20 numbers lie) and
    /// `rho` (what one device adds to the release costs, or one event without identifiers), `aged` (dimensions that
    /// age took, and what stands for them), `counted_from` and `counted_until` (where a metric was not counted in one
    /// way all period long), and `delete_by`. Shape: RFC 4180 in UTF-8 with CRLF, without a byte order mark. A
    /// withheld number has an empty `value`.
    package var csv: String {
        let dimensions = csvDimensions
        let extras = CSVExtra.allCases.filter { extra in answers.contains(where: extra.isIn) }
        let front = ["insight", "period"]
        let back =
            ["part", "value", "unit", "basis", "k", "sampling", "withheld_share", "status", "row"]
            + extras.flatMap(\.columns) + (partial.isEmpty ? [] : ["counted_from", "counted_until"])
            + (deleteBy == nil ? [] : ["delete_by"])
        let names = dimensions.map { (front + back).contains($0.text) ? "dimension_\($0)" : $0.text }
        let lines = answers.flatMap { answer in
            csvLines(of: answer).map { line in
                [CSVCell.text(answer.insight.name.text), .text(line.period)]
                    + dimensions.map { name in line.buckets[name].map { .text($0.text) } ?? .empty }
                    + cells(of: line, answer) + extras.flatMap { $0.cells(of: line, answer) } + times(of: answer)
            }
        }
        return ([(front + names + back).map { CSVCell.text($0) }] + lines)
            .map { $0.map(\.written).joined(separator: ",") + "\r\n" }.joined()
    }

    /// Returns the cells for the part of the period that the answer's numbers are of, where that is not all of it, and
    /// for the time at which copies are to be deleted.
    private func times(of answer: InsightAnswer) -> [CSVCell] {
        func cell(_ time: UnixSeconds?) -> CSVCell { time.map { .text(Instant.text($0)) } ?? .empty }
        let part = partial.first { $0.metric == answer.insight.metric }?.part
        return (partial.isEmpty ? [] : [cell(part?.from), cell(part?.until)])
            + (deleteBy == nil ? [] : [cell(deleteBy)])
    }

    private var csvDimensions: [DimensionName] {
        var names: [DimensionName] = []
        for answer in answers {
            for name in answer.filters.map(\.dimension) + (answer.answered?.axes ?? []).map(\.name)
            where !names.contains(name) { names.append(name) }
        }
        return names
    }

    private func cells(of line: CSVLine, _ answer: InsightAnswer) -> [CSVCell] {
        let basis = answer.answered?.basis
        return [
            answer.insight.kind.partBucket.map { .text($0.text) } ?? .empty,
            line.value.map { .number("\($0)") } ?? .empty, .text(answer.unit), .text(basis?.statement ?? ""),
            line.threshold.map { .number(String($0.devices)) } ?? .empty,
            basis.map { .number($0.samplingText) } ?? .empty, line.withheldShare.map { .number("\($0)") } ?? .empty,
            .text(line.status.rawValue), .text(line.row.rawValue),
        ]
    }

    private func csvLines(of answer: InsightAnswer) -> [CSVLine] {
        var filters: [DimensionName: BucketLabel] = [:]
        for filter in answer.filters { filters[filter.dimension] = filter.bucket }
        var blank = CSVLine(period: periodLabel, buckets: filters, status: .notReleased)
        guard let answered = answer.answered else {
            if case .absent(let absence) = answer.outcome { blank.status = NumberStatus(absence) }
            return [blank]
        }
        blank.threshold = answered.basis.threshold
        blank.withheldShare = answered.table.rest?.share
        func line(_ buckets: [BucketLabel], _ figure: Figure, _ row: CSVLine.Row = .group) -> CSVLine {
            var line = blank
            line.row = row
            for (axis, bucket) in zip(answered.axes, buckets) { line.buckets[axis.name] = bucket }
            line.value = figure.quantity?.decimal
            line.quotient = figure.quantity?.quotient
            line.bounds = row == .rest ? nil : answer.bounds(of: figure.quantity)
            line.status = row == .rest ? .derived : figure.status
            return line
        }
        func totals(_ rest: Quantity?) -> [CSVLine] {
            [rest].compactMap { $0 }.map { line([], .published($0), .rest) }
                + [answered.table.whole].compactMap { $0 }.map { line([], $0, .whole) }
        }
        let own = answered.table.rows.map { line($0.buckets, $0.figure) }
        switch answered.view {
        case .table: return own + totals(answered.table.rest?.quantity)
        case .ranking(let ranking):
            let named = ranking.rows.map { ranked in
                var line = line(ranked.row.buckets, ranked.row.figure)
                line.rank = ranked.rank
                line.lastRank = ranked.lastRank
                return line
            }
            return named + totals(ranking.rest)
        case .change(let comparisons): return own + comparisons.flatMap { changeLines(of: own, $0) }
        case .funnel(let stages):
            return zip(own, stages).map { own, stage in
                var line = own
                line.ofPrevious = stage.ofPrevious?.quantity?.decimal
                line.ofFirst = stage.ofFirst?.quantity?.decimal
                return line
            }
        case .trend(let points):
            return points.flatMap { point in
                zip(answered.table.rows, point.figures).map { row, figure in
                    var line = line(row.buckets, figure)
                    line.period = periodLabel(of: point.period)
                    line.threshold = point.threshold
                    line.withheldShare = point.withheldShare
                    return line
                }
            }
        }
    }

    /// Returns the lines for the changes of an answer's own lines since an earlier period.
    private func changeLines(of own: [CSVLine], _ comparison: AnswerComparison) -> [CSVLine] {
        zip(own, comparison.rows).map { own, compared in
            var line = own
            line.row = .change
            line.quotient = nil
            line.against = periodLabel(of: comparison.period)
            line.earlier = compared.earlier.quantity?.decimal
            line.value = compared.change.change?.difference
            line.relative = compared.change.change?.relative
            line.bounds = compared.change.change.map { ($0.interval.low, $0.interval.high) }
            line.status = compared.change.status
            return line
        }
    }
}

extension Insight.Kind {
    fileprivate var partBucket: BucketLabel? {
        guard case .share(_, let part) = self else { return nil }
        return part?.bucket
    }
}
