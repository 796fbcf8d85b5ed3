internal import ThrongPlan
internal import ThrongWire

extension BatchReader {
    /// Looks up the hashes of an event, once for all of its metrics; false where one of their fields holds anything else:
    /// a careless client must not hand in values as they are.
    mutating func readRevealed(
        _ dimensions: [Int], ofEvent index: Int, in document: JSONDocument, tables: PurposeTables
    ) -> Bool {
        for place in dimensions {
            let dimension = tables.revealed[place]
            revealedBuckets[place] = dimension.most
            switch fieldValue(dimension.field, in: document) {
            case .missing: continue
            case .text(let text):
                guard let hash = RevealedHash(wire: text.bytes) else { return false }
                if let slot = vocabulary.slots[place][hash] {
                    revealedBuckets[place] = slot
                } else {
                    candidates.append(RevealCandidate(event: index, dimension: dimension.name, hash: hash))
                }
            case .integer, .number, .flag: return false
            }
        }
        return true
    }
}
