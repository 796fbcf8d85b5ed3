/// What the attacker made of everything published.
package struct AuditReport: Sendable, Codable {
    /// The shape of this JSON.
    package var format = "throng-audit/1"
    /// What was read.
    package var sources: [String] = []
    /// What could not be read.
    package var unread: [String] = []
    /// Published numbers.
    package var statements = 0
    /// Equations and inequalities over unknowns.
    package var equations = 0
    /// Unknowns after leaves that no number tells apart were merged.
    package var unknowns = 0
    /// Leaves before that.
    package var leaves = 0
    /// Groups of unknowns that no unsolved equation links.
    package var components = 0
    /// Unknowns of the largest one.
    package var largestComponent = 0
    /// Withheld cells, leaves and unions that were examined, those of one form counted once.
    package var targets = 0
    /// Of these: proved to be zero.
    package var provedEmpty = 0
    /// Of these: a table of whole numbers that fits everything published was written down in which they reach k, and
    /// another in which they have another value.
    package var cleared = 0
    /// Of these: a table of fractions clears them, so no linear combination pins them; a search over whole numbers was
    /// too large.
    package var clearedInFractions = 0
    /// Of these: no pin found, no such table either.
    package var unproved = 0
    /// Linear and integer programs solved.
    package var programs = 0
    /// Findings that fail the audit.
    package var pins: [AuditFinding] = []
    /// Other findings.
    package var notices: [AuditFinding] = []
    /// Findings beyond the listed ones, by kind.
    package var unlisted: [String: Int] = [:]
    /// What was left out for lack of time or because a limit was reached.
    package var unexamined: [String] = []
    /// How long it took.
    package var seconds = 0.0

    /// Nothing yet.
    package init() {}

    /// Whether the attacker got nothing: exit code 0.
    package var holds: Bool { pins.isEmpty }
}

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
