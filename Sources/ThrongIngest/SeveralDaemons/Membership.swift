internal import Crypto
package import ThrongPlan

/// A daemon's knowledge of the daemons that count with it.
///
/// A window is counted by the epoch that was in force when it was opened to clients, which is when the window before it
/// begins. Only the numbers of windows decide that, and no clock: all daemons that know the same epochs name the same
/// owner. An epoch comes into force only once all daemons concerned have agreed to it, so no daemon that was cut off
/// from PostgreSQL goes on by an earlier one. If a daemon is lost, others count for it at once. Windows that it may
/// have counted in are then split: the others' counts form windows of their own, as if the identifier had changed then.
/// The lost daemon can't be asked which windows these are, and its clock may have been ahead (``OwnershipEpoch/mostAhead``).
package struct Membership: Sendable, Hashable, Codable {
    /// The shard of this daemon.
    package let own: Int16
    /// The epochs in force, ordered by number, and at the end a proposal if there is one.
    package let epochs: [OwnershipEpoch]
    /// The members, ordered by shard.
    package let members: [Member]
    /// The secret by which daemons recognize one another: 32 bytes.
    package let secret: [UInt8]
    /// The proposal that this daemon has agreed to; 0 for none.
    package var heard: Int64

    /// Creates a membership from PostgreSQL's records.
    package init(own: Int16, epochs: [OwnershipEpoch], members: [Member], secret: [UInt8], heard: Int64) {
        self.own = own
        self.epochs = epochs.sorted { $0.number < $1.number }
        self.members = members.sorted { $0.shard < $1.shard }
        (self.secret, self.heard) = (secret, heard)
    }

    /// The daemon that counts a slot in a window.
    package enum Owner: Sendable, Hashable {
        /// This daemon. If the window was taken over while it was open, with the number of the epoch that did so.
        case own(takenOver: Int64?)
        case other(Member)
        /// Unknown: this daemon has agreed to a proposal that names another owner, and does not know whether it came into force.
        case undecided
    }

    /// True if this daemon counts everything, now and in all windows under way.
    package var isAlone: Bool { epochs.allSatisfy { epoch in epoch.owners.allSatisfy { $0 == own } } }

    /// The latest epoch in force, whether it has begun or not.
    package var last: OwnershipEpoch? { epochs.last { $0.isInForce } }

    /// The number of daemons that count by the latest epoch; at least 1.
    package var counting: Int { max(1, Set(last?.owners ?? []).count) }

    /// True if another daemon may be running, which could release while this one is away. Lost daemons are left out,
    /// and so are those that have been replaced and have no address.
    package var hasOthers: Bool {
        let replaced = Set(epochs.compactMap(\.retires))
        return members.contains {
            $0.shard != own && !$0.isRetired && ($0.address != nil || !replaced.contains($0.shard))
        }
    }

    /// Returns the epochs in force that `other` lacks or has otherwise, from the first such on. Epochs are only ever
    /// added, so a membership without one of them is older.
    package func forgotten(by other: Membership) -> [OwnershipEpoch] {
        // Shards may have been reassigned.
        func names(_ epoch: OwnershipEpoch, _ membership: Membership) -> [String?] {
            (epoch.owners + [epoch.retires].compactMap(\.self)).map { membership.member($0)?.daemon }
        }
        return Array(
            epochs.filter(\.isInForce).drop { known in
                other.epochs.contains {
                    $0.isInForce && $0.number == known.number && names($0, other) == names(known, self)
                }
            })
    }

    /// Returns the member with a shard; nil if there is none.
    package func member(_ shard: Int16) -> Member? { members.first { $0.shard == shard } }

    /// Returns the daemon that counts an identifier's slot in a window.
    package func owner(of slot: Slot, in window: WindowID) -> Owner {
        owner(at: window.opens) { $0.owners[slot.number] }
    }

    /// Returns the daemon that holds the keys of credentials and of sealed requests in a window, and counts proved identifiers.
    package func keyHolder(in window: WindowID) -> Owner { keyHolder(at: window.opens) }

    /// Returns the daemon that holds these keys at an instant.
    package func keyHolder(at time: UnixSeconds) -> Owner { owner(at: time) { $0.owners.min() ?? own } }

    /// - Parameter chosen: returns the owner's shard by an epoch.
    private func owner(at opening: UnixSeconds, by chosen: (OwnershipEpoch) -> Int16) -> Owner {
        var decided: (owner: Int16, takenOver: Int64?) = (own, nil)
        // Epochs are applied in the order of their numbers: each was made in the knowledge of those before it, also of
        // one that begins later. It begins no earlier than that one: whoever counts until then by an epoch before both
        // was not asked about this one.
        var hasBegun = true
        for epoch in epochs where epoch.isInForce {
            if epoch.retires == nil { hasBegun = hasBegun && epoch.holds(at: opening) }
            if epoch.isClean(at: opening) {
                decided = (chosen(epoch), nil)
            } else if epoch.retires == nil, hasBegun {
                // The former owner has confirmed that it counted nothing in this window. One lost earlier has not.
                decided.owner = chosen(epoch)
            } else if epoch.retires == decided.owner {
                decided = (chosen(epoch), epoch.number)
            }
        }
        if let proposal = epochs.last, !proposal.isInForce, proposal.number <= heard, proposal.holds(at: opening),
            chosen(proposal) != decided.owner
        {
            return .undecided
        }
        if decided.owner == own { return .own(takenOver: decided.takenOver) }
        let member = members.first { $0.shard == decided.owner }
        return .other(member ?? Member(shard: decided.owner, daemon: "", address: nil))
    }
}

extension WindowID {
    /// The first instant at which clients may send to it: the window before it begins.
    package var opens: UnixSeconds { rotation.start(of: WindowNumber(number.value - 1)) }
}

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

/// Shares slots out so that as few as possible change hands.
package enum SlotTable {
    /// Returns the owners after a daemon joins: it takes slots from those that have the most.
    package static func joined(by shard: Int16, _ owners: [Int16]) -> [Int16] {
        guard !owners.contains(shard) else { return owners }
        var owners = owners
        let share = owners.count / (Set(owners).count + 1)
        for _ in 0..<share {
            // The lowest shard of those with the most slots.
            let others = counts(owners).filter { $0.key != shard }
            guard let richest = others.min(by: { ($1.value, $0.key) < ($0.value, $1.key) })?.key,
                let slot = owners.lastIndex(of: richest)
            else { break }
            owners[slot] = shard
        }
        return owners
    }

    /// Returns the owners after a daemon leaves; nil if it is the only owner or owns no slot.
    package static func left(by shard: Int16, _ owners: [Int16]) -> [Int16]? {
        var counts = counts(owners)
        guard counts.removeValue(forKey: shard) != nil, !counts.isEmpty else { return nil }
        var owners = owners
        for slot in owners.indices where owners[slot] == shard {
            // The lowest shard of those with the fewest slots.
            guard let poorest = counts.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key else { break }
            owners[slot] = poorest
            counts[poorest, default: 0] += 1
        }
        return owners
    }

    private static func counts(_ owners: [Int16]) -> [Int16: Int] {
        owners.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}

/// The unit by which identifiers are shared out among daemons: the first byte of the SHA-256 of an identifier as the
/// client sends it. It changes with the identifier. It tells a load balancer nothing new, as that sees the whole request anyway.
package struct Slot: Sendable, Hashable {
    /// 0 to 255.
    package let number: Int

    package static let count = 256

    /// Returns the slot of an identifier or, for a purpose without identifiers, of a batch's name.
    package init(of text: some Sequence<UInt8>) {
        var hash = SHA256()
        hash.update(data: Array(text))
        number = Int(hash.finalize().withUnsafeBytes { $0[0] })
    }

    /// Returns the slot with a number; nil unless it is within 0 to 255.
    package init?(_ number: Int) {
        guard (0..<Self.count).contains(number) else { return nil }
        self.number = number
    }
}
