internal import Foundation
internal import Synchronization

/// A named place at which a debug build can be told to die at once, so that a test can see what survives.
///
/// `THRONG_FAULT_POINT=before_sync:17` kills the process with SIGKILL the 17th time that it comes to `before_sync`. A
/// release build has no such places and refuses the variable.
package enum FaultPoint {
    /// Passes the place, or ends the process there.
    ///
    /// - Parameter last: called before the process is killed, such as to send what is buffered.
    @inlinable @inline(__always)
    package static func reached(_ name: @autoclosure () -> String, last: () -> Void = {}) {
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

        @usableFromInline
        static func isDue(_ name: String) -> Bool {
            guard let armed, armed.name == name else { return false }
            return passed.add(1, ordering: .relaxed).newValue == armed.passes
        }

        @usableFromInline
        static func die() { kill(getpid(), SIGKILL) }
    #endif
}
