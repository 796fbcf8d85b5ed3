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
