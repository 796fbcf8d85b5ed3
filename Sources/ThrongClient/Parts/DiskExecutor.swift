internal import Dispatch
internal import Synchronization

/// Runs an actor on a queue of its own, so that a slow disk holds no thread that the host's tasks share.
final class DiskExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "throng", qos: .utility)
    private let owner = Mutex<Owner>(Owner())

    /// The actor would hold itself otherwise.
    private struct Owner: Sendable {
        weak var turns: (any TurnTaking)?
    }

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

    /// From the next step on, each of the actor's is a turn: from where it goes on to where it waits for something.
    func takeTurns(_ turns: any TurnTaking) { owner.withLock { $0.turns = turns } }
}

/// What shares its documents with others, and reads and writes them in turns. Both are called on the actor's own queue.
protocol TurnTaking: AnyObject, Sendable {
    /// Waits until it may, and takes in what others wrote.
    func beginTurn()
    /// Leaves nothing that is not written.
    func endTurn()
}
