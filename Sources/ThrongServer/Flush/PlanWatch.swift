internal import Logging
internal import ServiceLifecycle
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore

/// Learns from PostgreSQL whether this daemon's plans are the ones in force, and logs each change.
///
/// While PostgreSQL is away, the last known standings hold: nothing is released then anyway.
struct PlanWatch: Service {
    let database: DatabaseLink
    let standings: PlanStandings
    let health: RoundHealth
    let logger: Logger

    private static let interval = Duration.seconds(2)

    func run() async throws {
        var said: [AppName: PlanStanding] = [:]
        health.expect(.plans)
        while !Task.isShuttingDownGracefully {
            await health.make(.plans) { try await database.renewPlans() }
            say(&said)
            try await pause(Self.interval)
        }
    }

    private func say(_ said: inout [AppName: PlanStanding]) {
        for one in standings.takeArrivals() {
            logger.notice("the plan is in force for all daemons", metadata: Self.facts(of: one))
        }
        for one in standings.all {
            let wasBehind = said[one.app].map { !$0.isInForce } ?? false
            if !one.isInForce, said[one.app]?.inForce != one.inForce || !wasBehind {
                logger.error(
                    """
                    this daemon counts by another plan than the one in force: it releases, reports and deletes nothing. Give it \
                    the plan in force and send SIGHUP, or bring its own into force by `throng plan apply`; `throng daemon list` \
                    says who has which
                    """,
                    metadata: Self.facts(of: one))
            } else if one.isInForce, wasBehind {
                logger.notice("this daemon's plan is the one in force again", metadata: Self.facts(of: one))
            }
            said[one.app] = one
        }
    }

    private static func facts(of one: PlanStanding) -> Logger.Metadata {
        [
            "app": "\(one.app)", "plan": "\(one.own.short)", "in_force": "\(one.inForce.short)",
            "since": "\(one.since)", "brought_by": "\(one.daemon)", "why": "\(one.arrival.rawValue)",
        ]
    }
}
