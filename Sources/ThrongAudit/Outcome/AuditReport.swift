/// What the attacker made of everything published.
public struct AuditReport: Sendable, Codable {
    /// The shape of this JSON.
    public var format = "throng-audit/1"
    /// What was read.
    public var sources: [String] = []
    /// What could not be read.
    public var unread: [String] = []
    /// Published numbers.
    public var statements = 0
    /// Equations and inequalities over unknowns.
    public var equations = 0
    /// Unknowns after leaves that no number tells apart were merged.
    public var unknowns = 0
    /// Leaves before that.
    public var leaves = 0
    /// Groups of unknowns that no unsolved equation links.
    public var components = 0
    /// Unknowns of the largest one.
    public var largestComponent = 0
    /// Withheld cells, leaves and unions that were examined, those of one form counted once.
    public var targets = 0
    /// Of these: proved to be zero.
    public var provedEmpty = 0
    /// Of these: a table of whole numbers that fits everything published was written down in which they reach k, and
    /// another in which they have another value.
    public var cleared = 0
    /// Of these: a table of fractions clears them, so no linear combination pins them; a search over whole numbers was
    /// too large.
    public var clearedInFractions = 0
    /// Of these: no pin found, no such table either.
    public var unproved = 0
    /// Linear and integer programs solved.
    public var programs = 0
    /// Findings that fail the audit.
    public var pins: [AuditFinding] = []
    /// Other findings.
    public var notices: [AuditFinding] = []
    /// Findings beyond the listed ones, by kind.
    public var unlisted: [String: Int] = [:]
    /// What was left out for lack of time or because a limit was reached.
    public var unexamined: [String] = []
    /// How long it took.
    public var seconds = 0.0

    /// Nothing yet.
    public init() {}

    /// Whether the attacker got nothing: exit code 0.
    public var holds: Bool { pins.isEmpty }
}
