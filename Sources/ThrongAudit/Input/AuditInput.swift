/// Everything that was ever published to anyone, and what everybody knows.
public struct AuditInput: Sendable, Codable {
    /// Every published number.
    public var statements: [AuditStatement]
    /// Every table that was shown, with its withheld places.
    public var families: [AuditFamily]
    /// The public plan.
    public var plan: AuditPlan
    /// Who knows more than the public.
    public var insiders: [AuditInsider]
    /// What the files' own form gave away: markers, order, absence.
    public var tells: [AuditFinding]
    /// Files and tables that were read, in order.
    public var sources: [String]
    /// What could not be read, and why.
    public var unread: [String]

    /// Nothing yet.
    public init(plan: AuditPlan = AuditPlan()) {
        statements = []
        families = []
        self.plan = plan
        insiders = []
        tells = []
        sources = []
        unread = []
    }
}
