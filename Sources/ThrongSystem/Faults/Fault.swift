internal import Foundation
internal import Synchronization

/// A promise that a debug build can be told to break, so that a test can show that it would notice.
///
/// `THRONG_FAULT=noise_off,acknowledge_early` breaks these for the whole process, ``with(_:_:)`` for a call. An unknown
/// name ends the process. A release build keeps its promises and refuses the variable.
package enum Fault: String, CaseIterable, Sendable {
    /// Clients are answered before their batch is written.
    case acknowledgeEarly = "acknowledge_early"
    /// A failed sync is taken for a successful one.
    case ignoreFailedSync = "ignore_failed_sync"
    /// Records are written that are larger than a reader takes.
    case writeAnyRecord = "write_any_record"
    /// A replay leaves windows open that are over.
    case reopenReplayedWindows = "reopen_replayed_windows"
    /// Due work goes by the clock of the moment, however far it has jumped.
    case trustClock = "trust_clock"
    /// Periods and windows between two flushes are numbered in 16 bits, and overflow is not checked.
    case numberBeyondBounds = "number_beyond_bounds"
    /// A reader goes only by what follows a bad record, and not by how far the journal was synced.
    case ignoreSyncedThrough = "ignore_synced_through"
    /// Waits end by the time of day.
    case waitByTimeOfDay = "wait_by_time_of_day"
    /// Batches wait unacknowledged as long as PostgreSQL does not say whether another process has taken this one's
    /// place.
    case askPatiently = "ask_patiently"
    /// A copy takes a daemon's place without waiting for it to notice.
    case takeWithoutLease = "take_without_lease"
    /// A process acknowledges for ever once it was told that nobody takes its place, and then asks with little
    /// patience.
    case outliveLease = "outlive_lease"
    /// A daemon that stopped in order waits for PostgreSQL at its next start, even if it is alone in its database.
    case waitAlone = "wait_alone"
    /// A daemon that told others of its stop counts at its next start, before PostgreSQL knows that it is back.
    case returnUnheard = "return_unheard"
    /// Counts made under one plan are released under the terms of the plan in force.
    case forgetTerms = "forget_terms"
    /// `/metrics` reports every event to everybody, with the second in which it came.
    case tellEachEvent = "tell_each_event"
    /// A value is asked for once k devices have sent its hash: whoever invents devices can then count the others.
    case askAtThreshold = "ask_at_threshold"
    /// Batches of an identifier that was withdrawn still count.
    case countWithdrawn = "count_withdrawn"
    /// Floors that ask for proof count identifiers without any.
    case liftUnproved = "lift_unproved"
    /// Requests for removal from before a restart are forgotten.
    case forgetRequests = "forget_requests"
    /// Numbers are published without noise, and with margins of 0.
    case noiseOff = "noise_off"
    /// No promise is broken: the program acts as the next version, whose schema has more and works with this one's
    /// programs.
    case knowTomorrow = "know_tomorrow"

    /// True if this promise is broken; false in a release build.
    @inlinable @inline(__always) package var isOn: Bool {
        #if DEBUG
            Self.chosen.contains(self) || Self.simulated.contains(self)
        #else
            false
        #endif
    }

    #if DEBUG
        /// The bits of a number under ``numberBeyondBounds``: a simulation with few windows overflows only fewer.
        @TaskLocal package static var bits = 16
    #endif

    /// Calls `body` while these promises are broken, on this task or thread only; a release build breaks none.
    package static func with<Value>(_ faults: Set<Fault>, _ body: () throws -> Value) rethrows -> Value {
        #if DEBUG
            try $simulated.withValue(faults, operation: body)
        #else
            try body()
        #endif
    }

    /// The environment variables that a debug build reads besides its settings; a release build reads none.
    package static var variables: Set<String> {
        #if DEBUG
            [variable, FaultPoint.variable]
        #else
            []
        #endif
    }

    #if DEBUG
        private static let variable = "THRONG_FAULT"
        @usableFromInline static let chosen: Set<Fault> = {
            let names = (ProcessInfo.processInfo.environment[variable] ?? "").split(separator: ",")
            return Set(
                names.map { name in
                    // An unknown name would break nothing, and a control that breaks nothing shows nothing.
                    guard let fault = Fault(rawValue: String(name)) else {
                        preconditionFailure("no promise is called \(name)")
                    }
                    return fault
                })
        }()
        @TaskLocal @usableFromInline static var simulated: Set<Fault> = []
    #endif
}

/// A named place at which a debug build can be told to die at once, so that a test can see what survives.
///
/// `THRONG_FAULT_POINT=before_sync:17` kills the process with SIGKILL the 17th time that it comes to `before_sync`. A
/// release build has no such places and refuses the variable.
package enum FaultPoint {
    /// Passes the place, or ends the process there.
    ///
    /// - Parameter last: called before the process is killed, such as to send what is buffered.
    @inlinable @inline(__always) package static func reached(_ name: @autoclosure () -> String, last: () -> Void = {}) {
        #if DEBUG
            if isDue(name()) {
                last()
                die()
            }
        #endif
    }

    #if DEBUG
        static let variable = "THRONG_FAULT_POINT"

        /// The place and the pass to die at, read once; nil if the variable is not set to a name and a number.
        private static let armed: (name: String, passes: Int)? = {
            let parts = (ProcessInfo.processInfo.environment[variable] ?? "").split(separator: ":")
            guard parts.count == 2, let passes = Int(parts[1]), passes > 0 else { return nil }
            return (String(parts[0]), passes)
        }()
        private static let passed = Atomic<Int>(0)

        @usableFromInline static func isDue(_ name: String) -> Bool {
            guard let armed, armed.name == name else { return false }
            return passed.add(1, ordering: .relaxed).newValue == armed.passes
        }

        @usableFromInline static func die() { kill(getpid(), SIGKILL) }
    #endif
}
