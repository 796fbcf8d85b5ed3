internal import Foundation

/// A promise that a debug build can be told to break, so that a test can show that it would notice.
///
/// `THRONG_FAULT=acknowledge_early`. A release build keeps its promises and refuses the variable.
public enum Fault: String, CaseIterable, Sendable {
    /// Clients are answered before their batch is written.
    case acknowledgeEarly = "acknowledge_early"
    /// A sync that failed is taken for one that did not.
    case ignoreFailedSync = "ignore_failed_sync"

    /// Whether this promise is broken; false in a release build.
    @inlinable @inline(__always)
    public var isOn: Bool {
        #if DEBUG
            Self.chosen == self
        #else
            false
        #endif
    }

    /// The environment variables that a debug build knows beside its settings; a release build knows none.
    public static var variables: Set<String> {
        #if DEBUG
            [variable, FaultPoint.variable]
        #else
            []
        #endif
    }

    #if DEBUG
        private static let variable = "THRONG_FAULT"
        @usableFromInline static let chosen = ProcessInfo.processInfo.environment[variable].flatMap(Fault.init)
    #endif
}
