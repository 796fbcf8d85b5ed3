internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// Threads that do work in the order in which it came. They end with their owner.
///
/// The owner, who gives the work, limits how much may wait.
package final class WorkThreads: Sendable {
    private let queue: Queue

    /// - Parameters:
    ///   - name: of each thread.
    ///   - nice: how much others go first, 0 to 19. Linux has this for each thread.
    package init(name: String, count: Int = 1, nice: Int32 = 0) {
        let queue = Queue(count: count)
        self.queue = queue
        for _ in 0..<count {
            Thread.detachNewThread {
                Thread.current.name = name
                if nice > 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice) }
                queue.work()
            }
        }
    }

    deinit { queue.stop() }

    /// Does work, and returns what comes of it.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.add { continuation.resume(returning: work()) }
        }
    }

    /// The state that the threads hold, so that an owner's `deinit` can stop them.
    private final class Queue: Sendable {
        private struct State {
            var works: [@Sendable () -> Void] = []
            var isStopped = false
        }

        private let count: Int
        private let state = Mutex(State())
        private let arrivals = DispatchSemaphore(value: 0)

        init(count: Int) { self.count = count }

        func add(_ work: @escaping @Sendable () -> Void) {
            state.withLock { $0.works.append(work) }
            arrivals.signal()
        }

        func stop() {
            state.withLock { $0.isStopped = true }
            for _ in 0..<count { arrivals.signal() }
        }

        func work() {
            while true {
                arrivals.wait()
                let next = state.withLock { $0.works.isEmpty ? nil : $0.works.removeFirst() }
                if let next {
                    next()
                } else if state.withLock({ $0.isStopped }) {
                    return
                }
            }
        }
    }
}
