internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Asks the system for the address of a host, for so long and no longer: it asks several servers several times, and a
/// delivery's lease ends meanwhile.
package struct HostLookup: Sendable {
    package enum Outcome: Sendable, Hashable {
        case found(String)
        case unknown
        case late
    }

    package let limit: Duration
    /// Blocks for as long as the system takes; nil where the name has no address.
    package var system: @Sendable (_ host: String, _ port: Int) -> String? = { host, port in
        do {
            return try SocketAddress.makeAddressResolvingHost(host, port: port).ipAddress
        } catch {
            return nil
        }
    }

    /// Looks on a thread of its own, which goes on by itself where it is late.
    package func address(of host: String, port: Int) async -> Outcome {
        await withCheckedContinuation { continuation in
            let first = First(continuation)
            let late = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(limit)) {
                first.say(.late)
            }
            Thread.detachNewThread { [system] in
                first.say(system(host, port).map { .found($0) } ?? .unknown)
                late.cancel()
            }
        }
    }

    /// A race for the answer: the first outcome wins.
    private final class First: Sendable {
        private let waiting: Mutex<CheckedContinuation<Outcome, Never>?>

        init(_ continuation: CheckedContinuation<Outcome, Never>) { waiting = Mutex(continuation) }

        func say(_ outcome: Outcome) {
            waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(returning: outcome)
        }
    }
}
