internal import Foundation

/// A promise that a debug build can be told to break, so that a test can show that it would notice.
///
/// `THRONG_FAULT=acknowledge_early` breaks it for the whole process, ``with(_:_:)`` for a piece of work. A release build
/// keeps its promises and refuses the variable.
package enum Fault: String, CaseIterable, Sendable {
    /// Clients are answered before their batch is written.
    case acknowledgeEarly = "acknowledge_early"
    /// A sync that failed is taken for one that did not.
    case ignoreFailedSync = "ignore_failed_sync"
    /// Records are written that are larger than a reader takes.
    case writeAnyRecord = "write_any_record"
    /// Windows that a replay finds to be over are not closed by it.
    case reopenReplayedWindows = "reopen_replayed_windows"
    /// What may be done is done by the clock of the moment, however far it has jumped.
    case trustClock = "trust_clock"
    /// Periods and windows between two flushes are numbered in 16 bits, and nothing looks how many there are.
    case numberBeyondBounds = "number_beyond_bounds"
    /// A reader goes by what it finds behind a bad record only, not by how far the journal was synced.
    case ignoreSyncedThrough = "ignore_synced_through"
    /// Waits end by the time of day.
    case waitByTimeOfDay = "wait_by_time_of_day"
    /// Nothing is acknowledged while PostgreSQL does not say whether another process has this one's place.
    case askPatiently = "ask_patiently"
    /// A copy takes a daemon's place without waiting for it to notice.
    case takeWithoutLease = "take_without_lease"
    /// A process acknowledges for ever after it was told once that nobody takes its place, and asks with little patience.
    case outliveLease = "outlive_lease"
    /// Each metric is released as if no other counted any of its events.
    case releaseApart = "release_apart"
    /// Nobody looks at what numbers of several metrics let anybody compute.
    case ignoreColumns = "ignore_columns"
    /// A whole and a part may tell of how few devices are in the one and not in the other.
    case countAbsent = "count_absent"
    /// What is done about unions, bands and columns after the search is left out; what checks it is not.
    case leaveToVerification = "leave_to_verification"
    /// What was counted under one plan is released under the terms of the one in force.
    case forgetTerms = "forget_terms"
    /// One or two devices may make up nearly all of a number.
    case allowDominance = "allow_dominance"
    /// A sum of two values is a sum like any other.
    case forgetFlags = "forget_flags"
    /// A month and the weeks that make it up are not known to be the same time.
    case forgetTiling = "forget_tiling"
    /// What published numbers leave of a known one, or tell of several cells together, may be of any few devices.
    case ignoreUnions = "ignore_unions"
    /// A withheld number may lie within any bounds, as long as another value fits between them.
    case skipIntervals = "skip_intervals"
    /// `/metrics` tells everybody each event, with the second in which it came.
    case tellEachEvent = "tell_each_event"
    /// A value is asked for once k devices have sent its hash, which whoever invents devices can count.
    case askAtThreshold = "ask_at_threshold"
    /// Batches of who withdrew count on.
    case countWithdrawn = "count_withdrawn"
    /// Largest contributions stay where whose they were withdrew.
    case keepLeaders = "keep_leaders"
    /// Floors that ask for proof count identifiers without any.
    case liftUnproved = "lift_unproved"
    /// What nobody proved is reckoned with as if its sender did not know it.
    case trustForgers = "trust_forgers"
    /// What two metrics differ by is taken for nothing where nothing of it is proved.
    case overlookUnproved = "overlook_unproved"
    /// Who asked before a restart to be taken out is not.
    case forgetRequests = "forget_requests"
    /// A manifest lists a reason for refusals as soon as one event was refused for it.
    case listReasonsThatOccurred = "list_reasons_that_occurred"
    /// Numbers with margins are published without noise.
    case noiseOff = "noise_off"
    /// No promise is broken: it is the next version, whose schema has more and works with this one's programs.
    case knowTomorrow = "know_tomorrow"

    /// Whether this promise is broken; false in a release build.
    @inlinable @inline(__always)
    package var isOn: Bool {
        #if DEBUG
            Self.chosen == self || Self.simulated.contains(self)
        #else
            false
        #endif
    }

    #if DEBUG
        /// In how many bits ``numberBeyondBounds`` numbers: a simulation that has few windows runs out of fewer.
        @TaskLocal package static var bits = 16
    #endif

    /// Does something while promises are broken, on this task or thread only; in a release build none is.
    package static func with<Value>(_ faults: Set<Fault>, _ body: () throws -> Value) rethrows -> Value {
        #if DEBUG
            try $simulated.withValue(faults, operation: body)
        #else
            try body()
        #endif
    }

    /// The environment variables that a debug build knows beside its settings; a release build knows none.
    package static var variables: Set<String> {
        #if DEBUG
            [variable, FaultPoint.variable]
        #else
            []
        #endif
    }

    #if DEBUG
        private static let variable = "THRONG_FAULT"
        @usableFromInline static let chosen = ProcessInfo.processInfo.environment[variable].flatMap(Fault.init)
        @TaskLocal @usableFromInline static var simulated: Set<Fault> = []
    #endif
}
