package import ThrongPlan

/// A daemon's word that it counts by some plans.
package struct PlanClaim: Sendable, Hashable {
    /// Who says so.
    package let daemon: DaemonID
    /// By app, the plan.
    package let plans: [AppName: PlanVersion]
    /// The apps whose plans come into force whatever does now, because an operator said so.
    package let applied: Set<AppName>

    /// Puts a claim together.
    package init(daemon: DaemonID, plans: [AppName: PlanVersion], applied: Set<AppName> = []) {
        self.daemon = daemon
        self.plans = plans
        self.applied = applied
    }
}
