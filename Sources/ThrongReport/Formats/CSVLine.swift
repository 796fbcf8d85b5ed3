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
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: " "):
            true
        default: false
        }
    }
}
