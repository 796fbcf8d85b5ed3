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
