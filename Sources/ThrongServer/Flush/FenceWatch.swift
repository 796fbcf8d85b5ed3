internal import Logging
internal import ServiceLifecycle
internal import ThrongJournal
internal import ThrongStore

/// Asks PostgreSQL whether another process has taken this one's place, whenever this one has stood still for a while.
///
/// Until it has asked, the journal acknowledges nothing. Where PostgreSQL can't be asked, acknowledging goes on: that it
/// does without PostgreSQL is a promise too.
struct FenceWatch: Service {
    let journal: Journal
    let database: DatabaseLink
    let logger: Logger
    let onFenced: @Sendable () -> Void

    private static let attempts = 3

    func run() async throws {
        while !Task.isShuttingDownGracefully {
            if let doubts = journal.doubts { await ask(doubts) }
            try await pause(.milliseconds(100))
        }
    }

    private func ask(_ doubts: UInt64) async {
        for attempt in 1...Self.attempts {
            do {
                _ = try await database.counters.watermark()
                logger.notice("the process stood still; PostgreSQL says that nobody took its place")
                return journal.settle(doubts)
            } catch StoreError.fenced {
                journal.refuseAll()
                return onFenced()
            } catch StoreError.attachmentLost, StoreError.notAttached {
                // Older than our attachment, or never attached to: nobody came after us.
                return journal.settle(doubts)
            } catch  where attempt == Self.attempts {
                logger.warning(
                    "the process stood still, and PostgreSQL can't be asked whether another took its place",
                    metadata: ["error": "\(error)"])
                journal.settle(doubts)
            } catch {
                // A connection that broke meanwhile is made anew by the next attempt.
                logger.debug("PostgreSQL is asked again", metadata: ["error": "\(error)"])
            }
        }
    }
}
