package import ThrongPlan

/// A daemon's claim that it counts by some plans.
package struct PlanClaim: Sendable, Hashable {
    package let daemon: DaemonID
    package let plans: [AppName: PlanVersion]
    /// The apps whose plans come into force by an operator's order, whatever is in force now.
    package let applied: Set<AppName>

    package init(daemon: DaemonID, plans: [AppName: PlanVersion], applied: Set<AppName> = []) {
        self.daemon = daemon
        self.plans = plans
        self.applied = applied
    }
}
