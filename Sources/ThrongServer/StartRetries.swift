internal import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongJournal

/// Stands in for a daemon that can't start yet: retries the start, and tells clients meanwhile to come again.
///
/// A signal ends the process soon, as it does during any start: nothing was taken that could be lost.
final class StartRetries<Value: Sendable>: Service {
    private let blocker: StartBlocker
    private let dataPath: String
    private let logger: Logger
    private let attempt: @Sendable (StartBlocker) async throws -> Value
    private let made = Mutex<Value?>(nil)

    init(
        past blocker: StartBlocker, dataPath: String, logger: Logger,
        attempt: @escaping @Sendable (StartBlocker) async throws -> Value
    ) { (self.blocker, self.dataPath, self.logger, self.attempt) = (blocker, dataPath, logger, attempt) }

    /// Returns the value of the attempt that succeeds; an error if waiting does not help.
    ///
    /// - Parameter server: the server for clients, with ``StartingRoutes``.
    func value(beside server: any Service) async throws -> Value {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: server), .init(service: self, successTerminationBehavior: .gracefullyShutdownGroup),
                ], logger: logger))
        try await group.run()
        guard let value = made.withLock({ $0 }) else { throw CancellationError() }
        return value
    }

    func run() async throws {
        var blocker = blocker
        say(blocker)
        // An attempt may replay a large journal: no more than half of the time goes into that.
        var pause = Duration.seconds(1)
        while true {
            try await Task.sleep(for: pause)
            if blocker == .fullDisk, !DataDirectory.hasSpace(at: dataPath) { continue }
            let started = ContinuousClock.now
            do {
                let value = try await attempt(blocker)
                logger.notice("the start goes on")
                return made.withLock { $0 = value }
            } catch {
                guard let next = StartBlocker(error, dataPath: dataPath) else { throw error }
                if next != blocker { say(next) }
                blocker = next
                pause = max(.seconds(1), ContinuousClock.now - started)
            }
        }
    }

    private func say(_ blocker: StartBlocker) {
        switch blocker {
        case .fullDisk: logger.error("the data directory's disk is full; the start waits for space")
        case .unknownWatermark:
            logger.error(
                "the journal has lost its end, and PostgreSQL is away, which may have it; the start waits for PostgreSQL"
            )
        case .predecessor:
            logger.notice(
                "another process may still hold this daemon's place in PostgreSQL; it was told, and the start waits for it"
            )
        }
    }
}

/// An obstacle to a start that passes by itself, or with an operator's help, while the process waits.
enum StartBlocker {
    case fullDisk
    /// The journal has lost records, and PostgreSQL, which is away, has to say where it goes on.
    case unknownWatermark
    /// Another process may still hold this one's place in PostgreSQL.
    case predecessor

    /// Creates the obstacle of an error; nil if waiting would not help.
    init?(_ error: any Error, dataPath: String) {
        switch error {
        case DaemonError.watermarkNeeded: self = .unknownWatermark
        case DaemonError.succeeding: self = .predecessor
        case let error as JournalError where error.isWantOfSpace: self = .fullDisk
        case is DaemonError, JournalError.inUse: return nil
        // Foundation and the programs of PostgreSQL don't say why in a way that could be told apart.
        default:
            guard !DataDirectory.hasSpace(at: dataPath) else { return nil }
            self = .fullDisk
        }
    }
}
