extension AuditReport {
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
            ["examined \(examined) of \(numbers) numbers from \(sources.count) sources"] + combined
            + [
                "\(days) comparisons of days", "\(sums) sums", "\(margins) margins", "\(repeated) repeated answers",
                "\(pages) numbers of pages",
            ]
        return parts.joined(separator: ", ") + "; \(unexamined.isEmpty ? "all was examined" : "NOT ALL WAS EXAMINED")"
    }

    private var result: String {
        guard holds else { return "NOT KEPT: \(findings.count + unlisted) promises" }
        return unexamined.isEmpty ? "kept: every promise" : "kept: every promise that was examined"
    }

    /// The meaning in words for people who answer for privacy.
    private var words: [String] {
        var lines: [String] = []
        for closest in closest {
            lines.append(
                "singling out: the closest that any combination comes to a number of \(closest.measure) is a standard "
                    + "deviation of \(AuditText.number(closest.deviation)), promised "
                    + "\(AuditText.number(closest.promised)): \(closest.combination)")
        }
        if days > 0 {
            lines.append(
                "linkability: numbers of all days, metrics and files were looked at together; scatter was judged by "
                    + "\(squares) squares")
        }
        if let cost {
            lines.append(
                "inference: to whoever knows everything else, one device adds evidence of ρ \(AuditText.number(cost)) "
                    + "at most to all that was released of a period")
        }
        return lines
    }
}
