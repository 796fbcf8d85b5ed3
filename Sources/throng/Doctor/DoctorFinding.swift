/// One thing that `throng doctor` looked at.
struct DoctorFinding: Encodable, Sendable {
    enum State: String, Encodable, Sendable {
        case good
        /// It works, and somebody should look at it.
        case look
        /// It keeps the daemon from its work, or will.
        case wrong
    }

    let subject: String
    let state: State
    let found: String
    /// The thing to do; nil where nothing is.
    let cure: String?

    init(_ subject: String, _ state: State, _ found: String, _ cure: String? = nil) {
        self.subject = subject
        self.state = state
        self.found = found
        self.cure = cure
    }

    /// Lines for people: the state, the subject, what was found, and on a line of its own what to do.
    static func lines(_ findings: [DoctorFinding]) -> [String] {
        let width = findings.map(\.subject.count).max() ?? 0
        return findings.flatMap { finding -> [String] in
            func padded(_ text: String, _ width: Int) -> String {
                text + String(repeating: " ", count: max(0, width - text.count))
            }
            let margin = String(repeating: " ", count: width + 9)
            let found = finding.found.replacing("\n", with: "\n" + margin)
            let head = padded(finding.state.rawValue, 5) + "  " + padded(finding.subject, width) + "  " + found
            return [head] + (finding.cure.map { ["\(margin)→ \($0)"] } ?? [])
        }
    }
}
