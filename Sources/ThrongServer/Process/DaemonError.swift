package import Foundation
internal import ServiceLifecycle
internal import Synchronization

/// The reason why a daemon does not start, or ends.
package enum DaemonError: Error, Sendable, Hashable, CustomStringConvertible {
    case watermarkTooOld(database: UInt64, journal: UInt64)
    case watermarkNeeded(journal: UInt64)
    case checkpointAhead(database: UInt64, checkpoint: UInt64)
    case overtaken(database: UInt64, journal: UInt64)
    case superseded(daemon: UUID)
    case succeeding(daemon: UUID)
    case unusableAddress(address: String, purpose: String, option: String, reason: String)
    case fenced(pending: UInt64)
    case journalFailed

    package var description: String {
        switch self {
        case .watermarkTooOld(let database, let journal):
            """
            PostgreSQL has everything up to batch \(database), and the journal begins after batch \(journal): what lies \
            between them is in neither, nor among the flushes that are kept. The database was probably restored from an \
            older copy. Restore a newer one; if there is none, move `journal`, `flushed` and `daemon.id` out of the data \
            directory to start anew and accept the loss.
            """
        case .watermarkNeeded(let journal):
            "the journal can be read up to batch \(journal), and PostgreSQL may have been given more; "
                + "only PostgreSQL can say where the journal has to go on. Bring it back."
        case .checkpointAhead(let database, let checkpoint):
            "PostgreSQL has everything up to batch \(database), and this daemon, which started while PostgreSQL was "
                + "away, from a checkpoint that takes it to have batch \(checkpoint): the database was restored from "
                + "an older copy. Nothing is lost. Start throng again: it replays the whole journal then."
        case .overtaken(let database, let journal):
            "PostgreSQL has everything up to batch \(database), and this daemon, which took batches while PostgreSQL "
                + "was away, has come to batch \(journal) only: its data directory is an older copy of the one that "
                + "was used last. What it took since its start is not counted. Start throng with the newest copy."
        case .superseded(let daemon):
            "PostgreSQL was last used by another copy of this data directory (daemon "
                + "\(daemon.uuidString.lowercased())). Start throng with that one. If it is gone for good, and with it "
                + "what only it has, remove the file `attachment` from this one and start again."
        case .succeeding(let daemon):
            """
            another process may still hold the place of daemon \(daemon.uuidString.lowercased()) in PostgreSQL. It was told, and \
            this one goes on once it has given the place back, or has not answered for some seconds.
            """
        case .unusableAddress(let address, let purpose, let option, let reason):
            "\(address), \(purpose), can't be listened on: \(reason). "
                + "Stop what listens there, or name another address with \(option). Nothing was started."
        case .fenced(pending: 0):
            "another process has taken this daemon's place in PostgreSQL, so this one has stopped. "
                + "Everything that it acknowledged is counted. Do not start this copy again."
        case .fenced(let pending):
            "another process has taken this daemon's place in PostgreSQL, so this one has stopped. It took \(pending) "
                + "batches that it did not flush. What it had written before the other one started is counted there; "
                + "what came later is only in the journal of this data directory. Do not start this copy again."
        case .journalFailed:
            "the journal could not be written. Nothing that was acknowledged is lost: "
                + "see to the disk, then start again."
        }
    }
}

/// Raised once, when the process has to end; as a service it ends the others then.
final class FailureFlag: Service {
    private let raised = Mutex<DaemonError?>(nil)
    private let (errors, continuation) = AsyncStream<DaemonError>.makeStream()

    /// The reason why the process has to end; nil until it has to.
    var error: DaemonError? { raised.withLock { $0 } }

    func raise(_ error: DaemonError) {
        raised.withLock { $0 = $0 ?? error }
        continuation.yield(error)
    }

    /// Throws the error, and returns once the daemon stops without one.
    func run() async throws {
        for await _ in errors.cancelOnGracefulShutdown() { break }
        if let error { throw error }
    }
}
