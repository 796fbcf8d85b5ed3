package import ThrongPlan

/// The plan in force of each app, and the plans that daemons count by; for people, and for work by hand.
package struct PlanRegistry: Sendable {
    private let connection: Connection

    /// Works over a connection as the owner of the schema, `throng_ingest` or `throng_reporter`, that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    package func inForce() async throws -> [RegisteredPlan] { try await connection.run(Query.selectPlansInForce()) }

    /// Returns the plans that daemons count by, or counted by last, by daemon and app. Retired daemons are left out.
    package func members() async throws -> [MemberPlan] { try await connection.run(Query.selectMemberPlans()) }
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
        plans.filter { plan in plan.daemon == daemon && contains { $0.app == plan.app && $0.plan != plan.plan } }
    }
}

/// A daemon's claim that it counts by some plans.
package struct PlanClaim: Sendable, Hashable {
    package let daemon: DaemonID
    package let plans: [AppName: PlanVersion]
    /// The apps whose plans come into force by an operator's order, whatever is in force now.
    package let applied: Set<AppName>

    package init(daemon: DaemonID, plans: [AppName: PlanVersion], applied: Set<AppName> = []) {
        (self.daemon, self.plans, self.applied) = (daemon, plans, applied)
    }
}

/// The standing of a daemon's plan of an app against the one in force, which all daemons of a database share.
package struct PlanStanding: Sendable, Hashable {
    /// The reason why a plan came into force.
    package enum Arrival: String, Sendable, Hashable {
        case first
        /// It replaced the plan in force in the file of a daemon that counted by that one.
        case edited
        case applied
        /// No other daemon had the plan that was in force, or was there to count by it.
        case inherited
    }

    package let app: AppName
    package let own: PlanVersion
    package let inForce: PlanVersion
    package let since: UnixSeconds
    package let daemon: DaemonID
    package let arrival: Arrival
    /// True if it came into force just now, by this daemon.
    package internal(set) var hasArrived: Bool
    /// True if all daemons that count do so by the plan in force: then the terms and promises of others have ended.
    package let isEverywhere: Bool

    package var isInForce: Bool { own == inForce }
}

extension PlanVersion {
    /// Its first digits, by which people tell plans apart.
    package var short: String { String(hex.prefix(16)) }
}

extension Query {
    static func announcePlan(
        daemon: DaemonID, app: AppName, plan: PlanVersion, isApplied: Bool
    ) -> RowQuery<PlanStanding> {
        RowQuery(plan_in_force_announce_sql, daemon, app, [UInt8](hex: plan.hex) ?? [], isApplied ? 1 : 0) {
            PlanStanding(
                app: app, own: plan, inForce: $0, since: $1, daemon: $2, arrival: $3, hasArrived: $4, isEverywhere: $5)
        }
    }

    static func selectPlansInForce() -> RowQuery<RegisteredPlan> {
        RowQuery(plan_in_force_select_sql, row: RegisteredPlan.init)
    }

    static func selectMemberPlans() -> RowQuery<MemberPlan> { RowQuery(member_plan_select_sql, row: MemberPlan.init) }

    static func stopPlans(daemon: DaemonID, kept: [AppName]) -> Statement {
        Statement(member_plan_stop_sql, daemon, kept.map(\.text).sorted().joined(separator: ","))
    }
}

extension PlanStanding.Arrival: ColumnValue {}
