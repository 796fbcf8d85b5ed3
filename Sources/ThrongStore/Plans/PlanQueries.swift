internal import ThrongPlan
internal import ThrongWire

extension Query {
    static func announcePlan(daemon: DaemonID, app: AppName, plan: PlanVersion, isApplied: Bool) -> RowQuery<
        PlanStanding
    > {
        RowQuery(
            "plan_in_force.announce", PackageResources.plan_in_force_announce_sql,
            .text(daemon.description), .text(app.text), .bytes([UInt8](hex: plan.hex) ?? []),
            .integer(isApplied ? 1 : 0)
        ) { columns in
            PlanStanding(
                app: app, own: plan, inForce: PlanVersion(hex: try columns.bytes().lowerHex), since: try columns.time(),
                daemon: try columns.value { DaemonID($0) },
                arrival: try columns.value { PlanStanding.Arrival(rawValue: $0) }, hasArrived: try columns.flag(),
                isEverywhere: try columns.flag())
        }
    }

    static func selectPlansInForce() -> RowQuery<RegisteredPlan> {
        RowQuery("plan_in_force.select", PackageResources.plan_in_force_select_sql) { columns in
            RegisteredPlan(
                app: AppName(try columns.text()), plan: PlanVersion(hex: try columns.bytes().lowerHex),
                since: try columns.time(), daemon: try columns.value { DaemonID($0) },
                arrival: try columns.value { PlanStanding.Arrival(rawValue: $0) })
        }
    }

    static func selectMemberPlans() -> RowQuery<MemberPlan> {
        RowQuery("member_plan.select", PackageResources.member_plan_select_sql) { columns in
            MemberPlan(
                daemon: try columns.value { DaemonID($0) }, app: AppName(try columns.text()),
                plan: PlanVersion(hex: try columns.bytes().lowerHex), hasStopped: try columns.flag())
        }
    }

    static func stopPlans(daemon: DaemonID, kept: [AppName]) -> Statement {
        Statement(
            "member_plan.stop", PackageResources.member_plan_stop_sql,
            .text(daemon.description), .text(kept.map(\.text).sorted().joined(separator: ",")))
    }
}
