/// A set of 64-bit hashes, which must be uniform (they come out of a keyed hash).
///
/// 0 is stored as 1, which merges two of 2^64 hashes.
/// - Cost: 10 to 12.5 bytes a member.
struct FlatSet: Sendable {
    private struct Member: HashedSlot {
        static var free: Self { Self(order: 0) }
        let order: UInt64
        func isSame(as other: Self) -> Bool { true }
    }

    private var members = OrderedTable<Member>()

    /// Members that nobody has asked for yet.
    private var waiting: [Member] = []

    /// How many there are, once what waits is in: ``settle()``.
    var count: Int { members.count }

    private static var mostWaiting: Int { 1 << 20 }

    /// Adds a member; false where it was there already.
    mutating func insert(_ member: UInt64) -> Bool {
        settle()
        return members.insert(Member(order: max(member, 1)))
    }

    /// Adds a member of which it does not matter whether it was there, as in a replay: many at once, which is faster.
    mutating func insertLater(_ member: UInt64) {
        waiting.append(Member(order: max(member, 1)))
        if waiting.count == Self.mostWaiting { settle() }
    }

    /// Brings in what waits.
    mutating func settle() {
        guard !waiting.isEmpty else { return }
        members.insert(contentsOf: waiting)
        waiting = []
    }

    /// Whether it is there.
    mutating func contains(_ member: UInt64) -> Bool {
        settle()
        return members.slot(like: Member(order: max(member, 1))) != nil
    }
}
