internal import Synchronization

/// The memory that bodies of requests may take while they arrive, those of all connections together.
///
/// A client may send a body as slowly as a request may take to arrive, and open as many connections as there are
/// descriptors: without this the kernel would have to draw the line.
final class BodyBudget: Sendable {
    private let limit: Int
    private let taken = Atomic<Int>(0)

    /// - Parameter limit: Unit: bytes.
    init(limit: Int) { self.limit = limit }

    /// What is taken now. Unit: bytes.
    var bytes: Int { taken.load(ordering: .relaxed) }

    /// Gives back what one body took, and takes what it takes now; false, with nothing changed, where there is no room.
    ///
    /// A body that is alone always has room: how large one may be is another limit.
    func exchange(_ held: Int, for wanted: Int) -> Bool {
        let after = taken.add(wanted - held, ordering: .relaxed).newValue
        guard wanted > held, after > limit, after > wanted else { return true }
        taken.subtract(wanted - held, ordering: .relaxed)
        return false
    }
}
