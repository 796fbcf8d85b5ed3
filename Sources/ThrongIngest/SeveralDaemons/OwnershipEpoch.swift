package import ThrongPlan

/// An assignment of identifiers to daemons, valid from a time on.
package struct OwnershipEpoch: Sendable, Hashable, Codable {
    /// Counted from 1.
    package let number: Int64
    /// The instant from which on windows opened to clients are counted by it; nil for the first epoch, which has no beginning.
    package let begins: UnixSeconds?
    /// The shard of the daemon that counts each slot, by slot: 256 of them.
    package let owners: [Int16]
    /// The shard of a lost daemon, for which others count at once; nil for none.
    package let retires: Int16?
    /// True if all daemons concerned have agreed; until then it is a proposal, which may be dropped.
    package let isInForce: Bool

    /// Creates an epoch; nil unless there are as many owners as slots.
    package init?(number: Int64, begins: UnixSeconds?, owners: [Int16], retires: Int16?, isInForce: Bool) {
        guard owners.count == Slot.count else { return nil }
        (self.number, self.begins, self.owners) = (number, begins, owners)
        (self.retires, self.isInForce) = (retires, isInForce)
    }

    /// The most that a lost daemon's clock may have been ahead of PostgreSQL's, so that it counted in windows that were
    /// not to be opened yet. It is also the longest notice of a change (`throng daemon join --within`), so that a
    /// pending change begins before a later retirement takes full effect. Unit: seconds.
    static let mostAhead: Int64 = 3600

    /// True if the epoch has begun by the time at which a window is opened to clients.
    func holds(at opening: UnixSeconds) -> Bool { begins.map { $0 <= opening } ?? true }

    /// True if only daemons that agreed to this epoch can have counted, by earlier ones, in a window opened then.
    func isClean(at opening: UnixSeconds) -> Bool {
        guard retires != nil else { return begins == nil }
        return begins.map { $0 + Self.mostAhead <= opening } ?? true
    }
}

/// A daemon, as others know it.
package struct Member: Sendable, Hashable, Codable {
    /// The shard number, which marks this daemon's counters as its own.
    package let shard: Int16
    package let daemon: String
    /// The address at which other daemons reach it: a URL without a path; nil if they can't.
    package let address: String?
    /// True if an operator declared it lost, so that it never attaches again; nil in a record of an earlier version.
    private let retired: Bool?

    /// True if an operator declared it lost, so that it never attaches again.
    package var isRetired: Bool { retired ?? false }

    package init(shard: Int16, daemon: String, address: String?, isRetired: Bool = false) {
        (self.shard, self.daemon, self.address, retired) = (shard, daemon, address, isRetired)
    }
}
