package import ThrongPlan

/// Who counts which identifiers, from when on.
package struct Epoch: Sendable, Hashable, Codable {
    /// Counted from 1.
    package let number: Int64
    /// Windows that are opened to clients from here on are counted by it; nil for the first, which has always been.
    package let begins: UnixSeconds?
    /// By slot, the shard of the daemon that counts it: 256 of them.
    package let owners: [Int16]
    /// The shard of a daemon that is lost, for which others count at once; nil for nobody.
    package let retires: Int16?
    /// Whether all whom it concerns have agreed; until then it may come to nothing.
    package let isInForce: Bool

    /// Puts one together; nil where there are not as many owners as slots.
    package init?(number: Int64, begins: UnixSeconds?, owners: [Int16], retires: Int16?, isInForce: Bool) {
        guard owners.count == Slot.count else { return nil }
        (self.number, self.begins, self.owners) = (number, begins, owners)
        (self.retires, self.isInForce) = (retires, isInForce)
    }

    /// How far the clock of a daemon that is lost may have been ahead of PostgreSQL's, so that it counted in windows that were not to
    /// be opened yet; also the longest notice of a change (`throng daemon join --within`), so that one under way begins before a
    /// later retirement is over. Unit: seconds.
    static let mostAhead: Int64 = 3600

    /// Whether it is in force when a window is opened to clients.
    func holds(at opening: UnixSeconds) -> Bool { begins.map { $0 <= opening } ?? true }

    /// Whether nobody can have counted in a window by an earlier one, who has not agreed to this one.
    func isClean(at opening: UnixSeconds) -> Bool {
        guard retires != nil else { return begins == nil }
        return begins.map { $0 + Self.mostAhead <= opening } ?? true
    }
}

/// A daemon, as others know it.
package struct Member: Sendable, Hashable, Codable {
    /// Its own in all counters.
    package let shard: Int16
    /// Its name in the database.
    package let daemon: String
    /// Where others reach it: a URL without a path; nil where they can't.
    package let address: String?
    /// Whether somebody said that it is lost, so that it never attaches again; nil where an earlier version wrote it down.
    private let retired: Bool?

    /// Whether somebody said that it is lost, so that it never attaches again.
    package var isRetired: Bool { retired ?? false }

    /// Puts one together.
    package init(shard: Int16, daemon: String, address: String?, isRetired: Bool = false) {
        (self.shard, self.daemon, self.address, retired) = (shard, daemon, address, isRetired)
    }
}
