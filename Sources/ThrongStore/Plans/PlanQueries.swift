internal import ThrongPlan
internal import ThrongWire

/// Notes the plan of an app that a daemon counts by; returns the one in force then.
struct AnnouncePlan: RowQuery {
    static let text = Query("plan_in_force.announce", PackageResources.plan_in_force_announce_sql)

    let daemon: DaemonID
    let app: AppName
    let plan: PlanVersion
    /// True if an operator orders that it comes into force, whatever is in force now.
    let isApplied: Bool

    var parameters: [Parameter] {
        [
            .text(daemon.description), .text(app.text), .bytes([UInt8](hex: plan.hex) ?? []),
            .integer(isApplied ? 1 : 0),
        ]
    }

    func row(_ columns: inout RowReader) throws -> PlanStanding {
        PlanStanding(
            app: app, own: plan, inForce: PlanVersion(hex: try columns.bytes().lowerHex), since: try columns.time(),
            daemon: try columns.value { DaemonID($0) },
            arrival: try columns.value { PlanStanding.Arrival(rawValue: $0) }, hasArrived: try columns.flag(),
            isEverywhere: try columns.flag())
    }
}

/// The plan in force of each app.
struct SelectPlansInForce: RowQuery {
    static let text = Query("plan_in_force.select", PackageResources.plan_in_force_select_sql)

    func row(_ columns: inout RowReader) throws -> RegisteredPlan {
        RegisteredPlan(
            app: AppName(try columns.text()), plan: PlanVersion(hex: try columns.bytes().lowerHex),
            since: try columns.time(), daemon: try columns.value { DaemonID($0) },
            arrival: try columns.value { PlanStanding.Arrival(rawValue: $0) })
    }
}

/// The plans that daemons count by, or counted by last.
struct SelectMemberPlans: RowQuery {
    static let text = Query("member_plan.select", PackageResources.member_plan_select_sql)

    func row(_ columns: inout RowReader) throws -> MemberPlan {
        MemberPlan(
            daemon: try columns.value { DaemonID($0) }, app: AppName(try columns.text()),
            plan: PlanVersion(hex: try columns.bytes().lowerHex), hasStopped: try columns.flag())
    }
}

/// Notes that a daemon counts nothing by its plans any more, except those of some apps, until it announces them again.
struct StopPlans: Command {
    static let text = Query("member_plan.stop", PackageResources.member_plan_stop_sql)

    let daemon: DaemonID
    let kept: [AppName]

    var parameters: [Parameter] {
        [.text(daemon.description), .text(kept.map(\.text).sorted().joined(separator: ","))]
    }
}
