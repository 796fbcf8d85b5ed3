/// Collects findings; beyond a limit of each kind they are only counted.
struct FindingLedger {
    let limit: Int
    private(set) var pins: [AuditFinding] = []
    private(set) var notices: [AuditFinding] = []
    private(set) var unlisted: [String: Int] = [:]
    private var counts: [AuditFinding.Kind: Int] = [:]

    init(limit: Int) { self.limit = max(1, limit) }

    mutating func add(_ finding: AuditFinding) {
        counts[finding.kind, default: 0] += 1
        guard counts[finding.kind, default: 0] <= limit else {
            unlisted[finding.kind.rawValue, default: 0] += 1
            return
        }
        if finding.severity == .pin { pins.append(finding) } else { notices.append(finding) }
    }
}
