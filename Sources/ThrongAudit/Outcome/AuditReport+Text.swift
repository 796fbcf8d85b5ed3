extension AuditReport {
    /// The report as people read it, in plain text.
    package var text: String {
        var lines: [String] = []
        lines.append(
            "read \(sources.count) sources: \(statements) published numbers, \(leaves) leaves, "
                + "\(unknowns) unknowns, \(equations) equations")
        lines.append(
            "examined \(targets) withheld cells: \(cleared) can be k or more, "
                + "\(clearedInFractions) can as far as linear programs see, \(provedEmpty) are proved empty, "
                + "\(unproved) stay unproved")
        lines.append(pins.isEmpty ? "pinned nothing" : "PINNED \(pins.count)")
        for finding in pins { lines += finding.lines }
        if !notices.isEmpty { lines.append("notices: \(notices.count)") }
        for finding in notices { lines += finding.lines }
        for (kind, count) in unlisted.sorted(by: { $0.key < $1.key }) {
            lines.append("not listed: \(count) more \(kind)")
        }
        for text in unread { lines.append("not read: \(text)") }
        for text in unexamined { lines.append("not examined: \(text)") }
        let tenths = Int((seconds * 10).rounded())
        lines.append("took \(tenths / 10).\(tenths % 10) s, \(programs) programs solved")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension AuditFinding {
    fileprivate var lines: [String] {
        var lines = ["- \(kind.rawValue): \(app)/\(metric) \(measure) of \(target): \(explanation)"]
        for certificate in certificates {
            for step in certificate.steps {
                let sign = step.coefficient.hasPrefix("-") ? "" : "+"
                lines.append("    \(sign)\(step.coefficient) × \(step.number)   [\(step.source)]")
            }
            for zero in certificate.zeros { lines.append("    parts are zero because \(zero)") }
            for rule in certificate.rules { lines.append("    by the rule \(rule)") }
            lines.append("    \(certificate.claim.words) \(certificate.total)")
        }
        return lines
    }
}

extension AuditCertificate.Claim {
    fileprivate var words: String {
        switch self {
        case .equal: "="
        case .atMost: "at most"
        case .atLeast: "at least"
        case .integerSearch: "a search over whole numbers finds at most"
        }
    }
}
