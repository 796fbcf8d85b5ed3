internal import Synchronization
internal import ThrongPlan
internal import ThrongStore

/// How this daemon's plans stand to those in force, as PostgreSQL said last.
///
/// Where another plan is in force, this daemon goes on counting by its own, which is what it tells people, and leaves releases,
/// reports and retention to those who have the one in force.
final class PlanStandings: Sendable {
    private struct State {
        var known: [AppName: PlanStanding] = [:]
        var arrivals: [PlanStanding] = []
    }

    private let state = Mutex(State())

    /// Takes over what PostgreSQL says of all of the daemon's plans.
    func note(_ standings: [PlanStanding]) {
        state.withLock { state in
            state.known = Dictionary(uniqueKeysWithValues: standings.map { ($0.app, $0) })
            state.arrivals += standings.filter(\.hasArrived)
        }
    }

    /// By app; none before PostgreSQL was asked.
    var all: [PlanStanding] { state.withLock { $0.known.values.sorted { $0.app < $1.app } } }

    /// The apps of which another plan is in force than this daemon's.
    var behind: [PlanStanding] { all.filter { !$0.isInForce } }

    /// Whether the plans in force of all of some apps are known to be this daemon's.
    func areInForce(_ apps: [AppName]) -> Bool {
        state.withLock { state in apps.allSatisfy { state.known[$0]?.isInForce ?? false } }
    }

    /// The plans that this daemon brought into force; each time only once.
    func takeArrivals() -> [PlanStanding] {
        state.withLock { state in
            defer { state.arrivals = [] }
            return state.arrivals
        }
    }
}

extension PlanStanding {
    /// What an operator is told of a plan that is not the one in force, and what to do.
    var advice: String {
        """
        this daemon counts for \(app) by plan \(own.short), and plan \(inForce.short) is in force, which daemon \(daemon) \
        brought; it releases, reports and deletes nothing. Give it the plan in force and send SIGHUP, or bring its own into \
        force by `throng plan apply`
        """
    }
}
