/// Everything that was ever published to anyone, and what everybody knows.
package struct AuditInput: Sendable, Codable {
    /// Every published number.
    package var statements: [AuditStatement]
    /// Every table that was shown, with its withheld places.
    package var families: [AuditFamily]
    /// The public plan.
    package var plan: AuditPlan
    /// Who knows more than the public.
    package var insiders: [AuditInsider]
    /// What the files' own form gave away: markers, order, absence.
    package var tells: [AuditFinding]
    /// Files and tables that were read, in order.
    package var sources: [String]
    /// What could not be read, and why.
    package var unread: [String]

    /// Nothing yet.
    package init(plan: AuditPlan = AuditPlan()) {
        statements = []
        families = []
        self.plan = plan
        insiders = []
        tells = []
        sources = []
        unread = []
    }
}
