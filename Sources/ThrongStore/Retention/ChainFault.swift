/// A fault in a stretch of the chain of ``DeletionEntry``s.
package enum ChainFault: Sendable, Hashable, CustomStringConvertible {
    /// An entry, or the digest in it, was changed: the two don't belong together.
    case changed(Int64)
    case missing(ClosedRange<Int64>)
    /// An entry stands behind one that was written after it.
    case misplaced(Int64, behind: Int64)
    case repeated(Int64)

    package var description: String {
        switch self {
        case .changed(let place):
            "entry \(place), or the digest before it, was changed: its digest is not that of what it says"
        case .missing(let places) where places.count == 1: "entry \(places.lowerBound) is missing"
        case .missing(let places): "entries \(places.lowerBound) to \(places.upperBound) are missing"
        case .misplaced(let place, let other): "entry \(place) stands behind entry \(other)"
        case .repeated(let place): "entry \(place) is there twice"
        }
    }

    /// Returns all faults of entries that should continue from one place to another without a gap; none where all hold.
    package static func all(in entries: [DeletionEntry], after before: ChainLink, through last: Int64) -> [ChainFault] {
        var faults: [ChainFault] = []
        var highest = before.place
        var seen: Set<Int64> = []
        for entry in entries {
            if !seen.insert(entry.place).inserted {
                faults.append(.repeated(entry.place))
            } else if entry.place < highest {
                faults.append(.misplaced(entry.place, behind: highest))
            }
            highest = max(highest, entry.place)
        }
        var link = before
        for entry in entries.sorted(by: { $0.place < $1.place }) where entry.place != link.place {
            if entry.place > link.place + 1 {
                faults.append(.missing(link.place + 1...entry.place - 1))
            } else if entry.digest != entry.expectedDigest(after: link.digest) {
                faults.append(.changed(entry.place))
            }
            link = entry.link
        }
        if link.place < last { faults.append(.missing(link.place + 1...last)) }
        return faults
    }
}

/// The end of a chain of ``DeletionEntry``s: whoever keeps one can tell later that nothing before it was changed.
package struct ChainLink: Sendable, Hashable {
    package let place: Int64
    /// The digest of the last of them. Unit: 32 bytes.
    package let digest: [UInt8]

    /// The link before the first entry.
    package static let none = ChainLink(place: 0, digest: DeletionEntry.noDigest)

    package init(place: Int64, digest: [UInt8]) {
        self.place = place
        self.digest = digest
    }
}

extension DeletionEntry {
    package var link: ChainLink { ChainLink(place: place, digest: digest) }
}
