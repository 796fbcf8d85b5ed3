import ThrongIngest
import ThrongWire

@testable import ThrongJournal
@testable import ThrongServer
@testable import ThrongStore

/// A daemon that stops in order: alone in its database it counts on afterwards, as after a kill; beside others, which may release
/// without it, once PostgreSQL knows that it is back.
extension World {
    /// Stops the daemon in order.
    func stop() {
        let isWhole = database.loss == nil && disk.dying == nil
        let wasRunning = daemon.isAwake
        daemon.stop()
        // Whoever can't flush does not say that it stops.
        guard wasRunning, database.condition == .up else { return }
        if hasSaidThatItStops {
            // Where the last word of it was lost it may wait for PostgreSQL.
            countsOn = countsOn && isWhole && database.hasOthers == false
            hasToldOthers = database.hasOthers == true
        } else {
            countsOn = countsOn && isWhole
        }
    }

    /// Whether PostgreSQL takes it for stopped.
    private var hasSaidThatItStops: Bool {
        database.state.settled.values.contains { Asking(number: $0, read: .epoch).hasStopped }
    }

    /// Notes that the daemon knows who counts.
    func noteMembers() {
        if !hasSaidThatItStops { hasToldOthers = false }
        guard database.hasOthers != nil, daemon.isAwake else { return }
        if daemon.ingestion?.neighbours.membership != nil { countsOn = true }
    }

    /// Whether the daemon takes a batch for its own to count.
    func isPlaced(_ post: Post, at ingestion: Ingestion) -> Bool {
        guard database.hasOthers != nil else { return true }
        noteMembers()
        let place = ingestion.neighbours.place(of: post.sender.identifier, in: post.window, isOfKeyHolder: false)
        guard case .own(takenOver: _) = place else {
            trace.note("turned away")
            if countsOn { fail(.readiness, "the daemon was alone when it stopped, and turns clients away") }
            return false
        }
        if hasToldOthers { fail(.unheard, "the daemon counts, and PostgreSQL takes it for stopped") }
        return true
    }
}
