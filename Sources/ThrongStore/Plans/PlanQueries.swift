internal import ThrongPlan
internal import ThrongWire

extension Query {
    static func announcePlan(
        daemon: DaemonID, app: AppName, plan: PlanVersion, isApplied: Bool
    ) -> RowQuery<PlanStanding> {
        RowQuery(
            "plan_in_force.announce", PackageResources.plan_in_force_announce_sql,
            daemon, app, [UInt8](hex: plan.hex) ?? [], isApplied ? 1 : 0
        ) {
            PlanStanding(
                app: app, own: plan, inForce: $0, since: $1, daemon: $2, arrival: $3, hasArrived: $4, isEverywhere: $5)
        }
    }

    static func selectPlansInForce() -> RowQuery<RegisteredPlan> {
        RowQuery("plan_in_force.select", PackageResources.plan_in_force_select_sql, row: RegisteredPlan.init)
    }

    static func selectMemberPlans() -> RowQuery<MemberPlan> {
        RowQuery("member_plan.select", PackageResources.member_plan_select_sql, row: MemberPlan.init)
    }

    static func stopPlans(daemon: DaemonID, kept: [AppName]) -> Statement {
        Statement(
            "member_plan.stop", PackageResources.member_plan_stop_sql,
            daemon, kept.map(\.text).sorted().joined(separator: ","))
    }
}

extension PlanStanding.Arrival: ColumnValue {}
