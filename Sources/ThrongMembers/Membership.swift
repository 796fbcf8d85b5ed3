package import ThrongCounting
package import ThrongPlan

/// What a daemon knows of those who count with it.
///
/// A window is counted by the epoch that was in force when it was opened to clients, which is when the window before it
/// begins. That is decided by numbers of windows alone, so that no clock has a part in it: all daemons that know the same epochs
/// say the same owner. An epoch comes into force only once all whom it concerns have agreed to it, so nobody who was cut off from
/// PostgreSQL goes on by an earlier one. But where a daemon is lost, others count for it at once: what they count in windows
/// that it may have counted in are windows of their own, as if the identifier had changed then. Nobody can ask it which these are:
/// its clock may have been ahead (``mostAhead``).
package struct Membership: Sendable, Hashable, Codable {
    /// The shard of this daemon.
    package let own: Int16
    /// Those in force and, as the last one, a proposal; in the order of their numbers.
    package let epochs: [Epoch]
    /// By shard.
    package let members: [Member]
    /// By what daemons know one another: 32 bytes.
    package let secret: [UInt8]
    /// The proposal that this daemon has agreed to; 0 for none.
    package var heard: Int64

    /// Puts together what PostgreSQL says.
    package init(own: Int16, epochs: [Epoch], members: [Member], secret: [UInt8], heard: Int64) {
        self.own = own
        self.epochs = epochs.sorted { $0.number < $1.number }
        self.members = members.sorted { $0.shard < $1.shard }
        (self.secret, self.heard) = (secret, heard)
    }

    /// Who counts a slot in a window.
    package enum Owner: Sendable, Hashable {
        /// This daemon; in a window that was taken over under way, with the number of the epoch that did so.
        case own(takenOver: Int64?)
        /// Another one.
        case other(Member)
        /// A proposal that this daemon has agreed to says something else than what is in force, and what became of it is not known.
        case undecided
    }

    /// Whether this daemon counts everything, now and in all windows under way.
    package var isAlone: Bool { epochs.allSatisfy { epoch in epoch.owners.allSatisfy { $0 == own } } }

    /// Whether this daemon counts anything, by any epoch that is in force.
    package var counts: Bool { epochs.contains { $0.isInForce && $0.owners.contains(own) } }

    /// The epoch that came last, whether it has begun or not.
    package var last: Epoch? { epochs.last { $0.isInForce } }

    /// How many daemons count by the epoch that came last; at least 1.
    package var counting: Int { max(1, Set(last?.owners ?? []).count) }

    /// Whether another daemon may be there, which could release while this one is away; not one that is lost, or that another counts
    /// in place of and none can reach.
    package var hasOthers: Bool {
        let replaced = Set(epochs.compactMap(\.retires))
        return members.contains {
            $0.shard != own && !$0.isRetired && ($0.address != nil || !replaced.contains($0.shard))
        }
    }

    /// The epochs in force that another membership does not know of, or knows otherwise, from the first of them on. They only ever
    /// come to be: whoever does not know of one is of an earlier time.
    package func forgotten(by other: Membership) -> [Epoch] {
        // Shards may have been given anew.
        func names(_ epoch: Epoch, _ membership: Membership) -> [String?] {
            (epoch.owners + [epoch.retires].compactMap(\.self)).map { membership.member($0)?.daemon }
        }
        return Array(
            epochs.filter(\.isInForce).drop { known in
                other.epochs.contains {
                    $0.isInForce && $0.number == known.number && names($0, other) == names(known, self)
                }
            })
    }

    /// The member with a shard; nil for none.
    package func member(_ shard: Int16) -> Member? { members.first { $0.shard == shard } }

    /// Who counts an identifier's slot in a window.
    package func owner(of slot: Slot, in window: WindowID) -> Owner {
        owner(at: window.opens) { $0.owners[slot.number] }
    }

    /// Who has the keys of credentials and of sealed requests, and counts those who prove who they are, in a window.
    package func desk(in window: WindowID) -> Owner { desk(at: window.opens) }

    /// Who has these keys at an instant.
    package func desk(at time: UnixSeconds) -> Owner { owner(at: time) { $0.owners.min() ?? own } }

    /// - Parameter chosen: whose it is by an epoch.
    private func owner(at opening: UnixSeconds, by chosen: (Epoch) -> Int16) -> Owner {
        var decided: (owner: Int16, takenOver: Int64?) = (own, nil)
        // In the order of their numbers: each was made in the knowledge of those before it, also of one that begins later. None
        // begins before that: who counts until then by one before both was not asked about the later one.
        var hasBegun = true
        for epoch in epochs where epoch.isInForce {
            if epoch.retires == nil { hasBegun = hasBegun && epoch.holds(at: opening) }
            if epoch.isClean(at: opening) {
                decided = (chosen(epoch), nil)
            } else if epoch.retires == nil, hasBegun {
                // Whoever counted until then has said that it has not begun to. One that was lost before has not.
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
    /// When clients may send to it first: the window before it has begun.
    package var opens: UnixSeconds { rotation.start(of: WindowNumber(number.value - 1)) }
}
