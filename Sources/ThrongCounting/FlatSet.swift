/// A set of 64-bit hashes, which must be uniform (they come out of a keyed hash).
///
/// 0 is stored as 1, which merges two of 2^64 hashes.
/// - Cost: 10 to 12.5 bytes a member.
struct FlatSet: Sendable {
    private struct Member: HashedSlot {
        static var free: Self { Self(order: 0) }
        let order: UInt64
    }

    private var members = OrderedTable<Member>()

    /// How many there are, once what waits is in: ``settle()``.
    var count: Int { members.count }

    /// Adds a member; false where it was there already.
    mutating func insert(_ member: UInt64) -> Bool { members.insert(Member(order: max(member, 1))) }

    /// Adds a member of which it does not matter whether it was there.
    mutating func insertLater(_ member: UInt64) { members.insertLater(Member(order: max(member, 1))) }

    /// Brings in what waits.
    mutating func settle() { members.settle() }

    /// Whether it is there.
    mutating func contains(_ member: UInt64) -> Bool { members.slot(like: Member(order: max(member, 1))) != nil }
}
