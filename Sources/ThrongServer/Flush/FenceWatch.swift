internal import Logging
internal import ServiceLifecycle
internal import ThrongDelivery
internal import ThrongJournal
internal import ThrongPostgres
internal import ThrongStore

/// Asks PostgreSQL whether another process has taken this one's place, or is about to: every second, and whenever this one
/// has stood still for a while.
///
/// After standing still the journal acknowledges nothing until it has asked. Where PostgreSQL can't be asked within seconds,
/// acknowledging goes on: that it does without PostgreSQL is a promise too.
struct FenceWatch: Service {
    let journal: Journal
    let database: DatabaseLink
    let telemetry: Telemetry
    let machine: Machine
    let logger: Logger
    let onFenced: @Sendable () -> Void

    /// Between two looks; ``Succession/lease`` reckons with it.
    private static let interval = Duration.seconds(1)
    /// After standing still: how often it is asked, and how long at the most.
    private static let attempts = 3
    private static let patience = Duration.seconds(3)

    func run() async throws {
        var next = machine.elapsed()
        while !Task.isShuttingDownGracefully {
            await turn(&next)
            try await pause(.milliseconds(100))
        }
    }

    /// Asks where there is doubt, and looks where that is due by ``Machine/elapsed()``.
    func turn(_ next: inout Duration) async {
        if let doubts = journal.doubts {
            await ask(doubts)
        } else if journal.isOpen, machine.elapsed() >= next {
            next = machine.elapsed() + Self.interval
            await look()
        }
    }

    private func look() async {
        do {
            _ = try await isStillOurs()
        } catch {
            telemetry.databaseIsAway()
            logger.debug("PostgreSQL can't say who has this process's place", metadata: ["error": "\(error)"])
        }
    }

    private func ask(_ doubts: UInt64) async {
        let deadline = machine.elapsed() + Self.patience
        for attempt in 1...Self.attempts {
            do {
                guard try await isStillOurs() else { return }
                logger.notice("the process stood still; PostgreSQL says that nobody took its place")
                return journal.settle(doubts)
            } catch  where attempt == Self.attempts || machine.elapsed() >= deadline {
                telemetry.databaseIsAway()
                logger.warning(
                    "the process stood still, and PostgreSQL can't be asked whether another took its place",
                    metadata: ["error": "\(error)"])
                return journal.settle(doubts)
            } catch {
                // A connection that broke meanwhile is made anew by the next attempt.
                logger.debug("PostgreSQL is asked again", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Whether this process may go on acknowledging. Where another one waits for its place it learns that it was heard, and
    /// waits for the last flush.
    ///
    /// - Throws: ``PostgresError`` where PostgreSQL can't be asked.
    private func isStillOurs() async throws -> Bool {
        do {
            guard try await database.counters.isClaimed() else { return true }
            // Where it has given up meanwhile, or has the place, the next look tells.
            guard try await database.counters.hearClaim() else {
                throw PostgresError.unexpectedAnswer(query: "watermark.hear")
            }
            logger.warning(
                "another process is taking this one's place; what was acknowledged is flushed, then it stops")
            journal.close()
            return true
        } catch StoreError.fenced {
            journal.refuseAll()
            onFenced()
            return false
        } catch StoreError.attachmentLost, StoreError.notAttached {
            // Older than our attachment, or never attached to: nobody came after us.
            return true
        }
    }
}
