package import ThrongPlan

/// The plan in force of each app, and the plans that daemons count by; for people, and for work by hand.
package struct PlanRegistry: Sendable {
    private let connection: Connection

    /// Works over a connection as the owner of the schema, `throng_ingest` or `throng_reporter`, that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    package func inForce() async throws -> [RegisteredPlan] {
        try await connection.run(Query.selectPlansInForce())
    }

    /// Returns the plans that daemons count by, or counted by last, by daemon and app. Retired daemons are left out.
    package func members() async throws -> [MemberPlan] {
        try await connection.run(Query.selectMemberPlans())
    }
}

/// The plan of an app that is in force.
package struct RegisteredPlan: Sendable, Hashable {
    package let app: AppName
    package let plan: PlanVersion
    package let since: UnixSeconds
    package let daemon: DaemonID
    package let arrival: PlanStanding.Arrival
}

/// The plan of an app that a daemon counts by, or counted by last.
package struct MemberPlan: Sendable, Hashable {
    package let daemon: DaemonID
    package let app: AppName
    package let plan: PlanVersion
    /// True if the daemon has stopped and left nothing behind.
    package let hasStopped: Bool
}

extension [RegisteredPlan] {
    /// Returns those of a daemon's plans that are not the ones in force.
    package func behind(_ plans: [MemberPlan], of daemon: DaemonID) -> [MemberPlan] {
        plans.filter { plan in
            plan.daemon == daemon && contains { $0.app == plan.app && $0.plan != plan.plan }
        }
    }
}
