internal import Synchronization
internal import ThrongPlan
internal import ThrongStore

/// The standings of this daemon's plans against those in force, as PostgreSQL said last.
///
/// If another plan is in force, this daemon goes on counting by its own, which is what it tells people. It leaves
/// releases, reports and retention to the daemons that have the plan in force.
final class PlanStandings: Sendable {
    private struct State {
        var known: [AppName: PlanStanding] = [:]
        var arrivals: [PlanStanding] = []
    }

    private let state = Mutex(State())

    func note(_ standings: [PlanStanding]) {
        state.withLock { state in
            state.known = Dictionary(uniqueKeysWithValues: standings.map { ($0.app, $0) })
            state.arrivals += standings.filter(\.hasArrived)
        }
    }

    /// The standings, sorted by app; none before PostgreSQL was asked.
    var all: [PlanStanding] { state.withLock { $0.known.values.sorted { $0.app < $1.app } } }

    var behind: [PlanStanding] { all.filter { !$0.isInForce } }

    /// Returns true if the plans in force of all these apps are known to be this daemon's.
    func areInForce(_ apps: [AppName]) -> Bool {
        state.withLock { state in apps.allSatisfy { state.known[$0]?.isInForce ?? false } }
    }

    func takeArrivals() -> [PlanStanding] {
        state.withLock { state in
            defer { state.arrivals = [] }
            return state.arrivals
        }
    }
}

extension PlanStanding {
    /// The text for an operator about a plan that is not the one in force, with the remedy.
    var advice: String {
        """
        this daemon counts for \(app) by plan \(own.short), and plan \(inForce.short) is in force, which daemon \(daemon) \
        brought; it releases, reports and deletes nothing. Give it the plan in force and send SIGHUP, or bring its own into \
        force by `throng plan apply`
        """
    }
}
