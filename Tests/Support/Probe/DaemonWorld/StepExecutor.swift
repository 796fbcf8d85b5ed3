import Synchronization

/// Runs tasks on the thread that asks for it, in the order in which they became ready: nothing else decides what comes next.
final class StepExecutor: TaskExecutor {
    private let ready = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        ready.withLock { $0.append(job) }
    }

    /// Runs what is ready, and what that makes ready, until every task is done or waits for the world.
    func drain() {
        while let job = ready.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
