/// The things that an audit looked at, and its findings. Its JSON is filed and signed.
package struct AuditReport: Sendable, Codable {
    package var format = "throng-audit/2"
    /// The files and releases that were read, with their digests.
    package var sources: [AuditSource] = []
    /// Published numbers that were read, each meaning once.
    package var numbers = 0
    /// The number of these whose noise the audit could work out by itself.
    package var examined = 0
    /// The combinations of numbers of one period that were examined, by size: [0] holds those of two.
    package var differences: [Int] = []
    /// Comparisons of one number over two days.
    package var days = 0
    /// Sums that were added up.
    package var sums = 0
    /// Stated margins that were compared with the law.
    package var margins = 0
    /// Numbers that two sources, or two metrics, state.
    package var repeated = 0
    /// Squares that scatter was judged by.
    package var squares = 0
    /// Numbers of pages that were compared with the files beside them.
    package var pages = 0
    package var closest: [Closest] = []
    /// Estimates of the combinations that were given, and of all numbers if they were asked for.
    package var estimates: [AuditEstimate] = []
    /// The largest cost of a period: the most that one device adds to all that was released of it. ρ of
    /// zero-concentrated differential privacy; nil if no source says it.
    package var cost: Double?
    /// Promises that were not kept.
    package var findings: [AuditFinding] = []
    /// Findings beyond the listed ones.
    package var unlisted = 0
    /// Things that were not examined, each with its reason.
    package var unexamined: [String] = []
    package var seconds = 0.0

    package init() {}

    package struct Closest: Sendable, Codable {
        /// The measure: devices, or events and sums.
        package let measure: String
        /// The standard deviation. Unit: the measure's.
        package let deviation: Double
        /// The promise. Unit: the measure's.
        package let promised: Double
        /// The numbers.
        package let combination: String
    }

    /// True if every promise was kept, as far as was examined.
    package var holds: Bool { findings.isEmpty && unlisted == 0 }

    /// 0: kept; 2: not kept; 3: something was not examined.
    package var exitCode: Int32 { !holds ? 2 : unexamined.isEmpty ? 0 : 3 }

    /// Findings that are listed; more are counted.
    static let mostFindings = 200

    mutating func find(_ check: AuditFinding.Check, _ about: String, _ explanation: String) {
        guard findings.count < Self.mostFindings else { return unlisted += 1 }
        findings.append(AuditFinding(check: check, about: about, explanation: explanation))
    }

    /// The report as people read it. The first line says what was covered.
    package var text: String {
        var lines = [coverage, result]
        for check in AuditFinding.Check.allCases {
            let found = findings.filter { $0.check == check }
            guard !found.isEmpty else { continue }
            lines.append("\(check.rawValue): \(found.count) not kept. \(check.meaning)")
            lines += found.prefix(20).map { "- \($0.about): \($0.explanation)" }
            if found.count > 20 { lines.append("- and \(found.count - 20) more") }
        }
        if unlisted > 0 { lines.append("not listed: \(unlisted) more") }
        lines += words
        for estimate in estimates {
            let promise = estimate.promised > 0 ? ", promised \(AuditText.number(estimate.promised))" : ""
            lines.append(
                "estimate: \(estimate.combination) = \(AuditText.number(estimate.value)), "
                    + "standard deviation \(AuditText.number(estimate.deviation))\(promise)")
        }
        lines += unexamined.map { "not examined: \($0)" }
        lines.append("took \(AuditText.number(seconds)) s")
        return lines.joined(separator: "\n") + "\n"
    }

    private var coverage: String {
        let combined = differences.enumerated().map { "\($1) combinations of \($0 + 2)" }
        let parts =
            ["examined \(examined) of \(numbers) numbers from \(sources.count) sources"] + combined + [
                "\(days) comparisons of days", "\(sums) sums", "\(margins) margins", "\(repeated) repeated answers",
                "\(pages) numbers of pages",
            ]
        return parts.joined(separator: ", ") + "; \(unexamined.isEmpty ? "all was examined" : "NOT ALL WAS EXAMINED")"
    }

    private var result: String {
        guard holds else { return "NOT KEPT: \(findings.count + unlisted) promises" }
        return unexamined.isEmpty ? "kept: every promise" : "kept: every promise that was examined"
    }

    /// The answers to the three questions of people who answer for privacy.
    private var words: [String] {
        var lines = [
            "singling out: \(verdict(.singlingOut)). Does a number, sum or difference tell of few devices more closely than promised?"
        ]
        lines += closest.map { closest in
            "- closest of \(closest.measure): known to ± \(AuditText.number(1.96 * closest.deviation)) in 19 of 20 cases "
                + "(standard deviation \(AuditText.number(closest.deviation)), promised \(AuditText.number(closest.promised))): "
                + closest.combination
        }
        lines.append(
            "linkability: \(verdict(.linkability)). Do files, days or metrics that are laid side by side tell more?")
        if days > 0 { lines.append("- looked at together: all of them; scatter was judged by \(squares) squares") }
        lines.append(
            "inference: \(verdict(.inference)). Do differences of answers, or margins, tell what they should not?")
        if let cost {
            lines.append(
                "- to whoever knows everything else, one device adds evidence of ρ \(AuditText.number(cost)) at most to all "
                    + "that was released of a period")
        }
        return lines
    }

    private func verdict(_ risk: AuditFinding.Risk) -> String {
        let broken = findings.count { $0.check.risk == risk }
        if broken > 0 { return "NOT KEPT, by \(broken) finding\(broken == 1 ? "" : "s")" }
        if unlisted > 0 { return "not known, as \(unlisted) findings are not listed" }
        if examined == 0 { return "not examined" }
        return unexamined.isEmpty ? "kept" : "kept, as far as was examined"
    }
}

/// The best unbiased estimate of a combination.
package struct AuditEstimate: Sendable, Codable {
    package let combination: String
    /// The estimate. Unit: the measure's.
    package let value: Double
    /// The standard deviation. Unit: the measure's.
    package let deviation: Double
    /// The least deviation that is promised; 0 if measures are mixed. Unit: the measure's.
    package let promised: Double
}

/// A promise that was not kept.
package struct AuditFinding: Sendable, Codable, Hashable {
    package let check: Check
    /// The number or numbers concerned.
    package let about: String
    package let explanation: String

    /// A promise of releases.
    package enum Check: String, Sendable, Codable, CaseIterable {
        /// Equal questions have equal numbers.
        case equal
        /// Parts add up to their whole.
        case sums
        /// Repeated questions scatter as both layers say, or more.
        case scatter
        /// Stated margins are no narrower than the noise is.
        case margin
        /// No number of fewer than k devices, and none below its margin over k, is shown.
        case threshold
        /// No combination tells a number of devices, or what they sent, more closely than promised.
        case closeness
        /// A page has no other numbers than the files beside it.
        case page

        var risk: AuditFinding.Risk {
            switch self {
            case .equal, .sums, .margin: .inference
            case .scatter, .threshold, .closeness: .singlingOut
            case .page: .linkability
            }
        }

        /// The risk, and what it means for people.
        var meaning: String {
            let words =
                switch self {
                case .equal, .sums:
                    "what two answers to one question differ by is the answer about those whom one of them lacks"
                case .scatter: "there is less noise than is promised, so that differences tell of few devices"
                case .margin: "readers take numbers for closer than they are, or noise is missing"
                case .threshold: "a number stands for few devices"
                case .closeness: "numbers that are published together tell of few devices"
                case .page: "a reader who has both files compares two answers to one question"
                }
            return "\(risk.rawValue): \(words)"
        }
    }

    /// The three risks of anonymous data (Opinion 05/2014 of the Article 29 Working Party).
    enum Risk: String { case singlingOut = "singling out", linkability, inference }
}
