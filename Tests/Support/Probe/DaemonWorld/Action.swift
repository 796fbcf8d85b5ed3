/// One step of a history. Its number is all the chance that it takes, so that steps can be left out of a history.
package struct Action: Sendable, Hashable, CustomStringConvertible {
    /// What happens.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A client sends a new batch, or one again.
        case post, again
        /// A client wants what one of the identifiers in use has added to be taken away.
        case withdraw
        /// The journal's thread, the flush, the schedule and the fence take a turn.
        case write, flush, schedule
        /// A moment, some seconds, minutes, hours pass.
        case moment, seconds, minutes, hours
        /// Many windows pass, each with a batch of its own.
        case crowd
        /// A client sends a batch that is as large as any may be, or larger.
        case giant
        /// A part of the journal that was synced is cut off.
        case damage
        /// The daemon's process stands still for some seconds.
        case freeze
        /// The data directory is copied, and a process is started on the copy.
        case copy
        /// The daemon stands still again and again, for a while, or goes on as it should.
        case stutter, steady
        /// PostgreSQL takes its time for each answer, or none.
        case databaseSlow, databaseQuick
        /// The daemon's connections break.
        case cut
        /// The clock is set wrong, or right.
        case clockWrong, clockRight
        /// The process is killed; the power is lost; the daemon is stopped in order; a dead one is started.
        case kill, powerLoss, stop, start
        /// One of the next syncs fails; the disk fills up; there is space again.
        case syncFails, diskFills, diskHasSpace
        /// PostgreSQL goes, hangs, is back; loses the connection before or after its next COMMIT; is restored.
        case databaseAway, databaseHangs, databaseBack, commitLost, answerLost, backup, restore
        /// What is known of open windows is written down, or put in place.
        case checkpoint
        /// PostgreSQL knows of another daemon, which is away and may release what is due; or of none any more.
        case others, alone
    }

    /// What happens.
    package let kind: Kind
    /// All the chance that it takes.
    package let number: UInt64

    /// As a history prints it.
    package var description: String { "\(kind.rawValue) \(number)" }
}
