internal import Dispatch
internal import Synchronization

/// Runs an actor on a queue of its own, so that a slow disk holds no thread that the host's tasks share.
final class DiskExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "throng", qos: .utility)
    private let owner = Mutex<Owner>(Owner())

    /// The actor would hold itself otherwise.
    private struct Owner: Sendable { weak var turns: (any TurnTaking)? }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            let turns = self.owner.withLock(\.turns)
            turns?.beginTurn()
            job.runSynchronously(on: self.asUnownedSerialExecutor())
            turns?.endTurn()
        }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Makes each of the actor's steps a turn, from the next one on.
    func takeTurns(_ turns: any TurnTaking) { owner.withLock { $0.turns = turns } }
}

/// An owner of documents that shares them with others and uses them in turns. Both are called on the actor's own queue.
protocol TurnTaking: AnyObject, Sendable {
    /// Waits until it may, and takes in what others wrote.
    func beginTurn()
    /// Leaves nothing that is not written.
    func endTurn()
}
