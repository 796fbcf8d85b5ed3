internal import Glibc
internal import NIOPosix

/// Threads that do work in the order in which it came. They end with their owner, who limits how much may wait.
package final class WorkThreads: Sendable {
    private let threads: NIOThreadPool
    private let nice: Int32

    /// `nice` says how much others go first, 0 to 19. Linux has this for each thread.
    package init(count: Int = 1, nice: Int32 = 0) {
        threads = NIOThreadPool(numberOfThreads: count)
        self.nice = nice
        threads.start()
    }

    deinit { threads.shutdownGracefully { _ in } }

    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            threads.submit { [nice] _ in
                if nice > 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice) }
                continuation.resume(returning: work())
            }
        }
    }
}
