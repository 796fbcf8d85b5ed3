internal import Dispatch

/// Runs an actor on a queue of its own, so that a slow disk holds no thread that the host's tasks share.
final class DiskExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "throng", qos: .utility)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
