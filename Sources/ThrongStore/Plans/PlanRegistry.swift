package import ThrongPlan
package import ThrongPostgres

/// Which plan of each app is in force, and by which plans daemons count; for people, and for what is done by hand.
package struct PlanRegistry: Sendable {
    private let connection: Connection

    /// Works over a connection as the owner of the schema, `throng_ingest` or `throng_reporter`, that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// Which plan of each app is in force, by app.
    package func inForce() async throws -> [RegisteredPlan] {
        try await connection.run { try $0.run(SelectPlansInForce()) }
    }

    /// By which plans daemons count, or counted last, by daemon and app. Those that were retired are left out.
    package func members() async throws -> [MemberPlan] {
        try await connection.run { try $0.run(SelectMemberPlans()) }
    }
}

/// The plan of an app that is in force.
package struct RegisteredPlan: Sendable, Hashable {
    /// Of which app.
    package let app: AppName
    /// Which one.
    package let plan: PlanVersion
    /// Since when.
    package let since: UnixSeconds
    /// The daemon that brought it.
    package let daemon: DaemonID
    /// Why it came.
    package let arrival: PlanStanding.Arrival

    /// Puts it together.
    package init(
        app: AppName, plan: PlanVersion, since: UnixSeconds, daemon: DaemonID, arrival: PlanStanding.Arrival
    ) {
        (self.app, self.plan, self.since, self.daemon, self.arrival) = (app, plan, since, daemon, arrival)
    }
}

/// By which plan of an app a daemon counts, or counted last.
package struct MemberPlan: Sendable, Hashable {
    /// The daemon.
    package let daemon: DaemonID
    /// Of which app.
    package let app: AppName
    /// Which one.
    package let plan: PlanVersion
    /// Whether it has stopped and left nothing behind.
    package let hasStopped: Bool

    /// Puts it together.
    package init(daemon: DaemonID, app: AppName, plan: PlanVersion, hasStopped: Bool) {
        (self.daemon, self.app, self.plan, self.hasStopped) = (daemon, app, plan, hasStopped)
    }
}

extension [RegisteredPlan] {
    /// Of a daemon's plans, those that are not the ones in force.
    package func behind(_ plans: [MemberPlan], of daemon: DaemonID) -> [MemberPlan] {
        plans.filter { plan in
            plan.daemon == daemon && contains { $0.app == plan.app && $0.plan != plan.plan }
        }
    }
}
