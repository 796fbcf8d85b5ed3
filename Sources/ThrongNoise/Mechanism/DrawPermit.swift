/// The right to draw the noise of one release, once.
///
/// Only ``BudgetLedger/isDurable(_:)`` makes one, after the reservation is on disk; it cannot be copied, and drawing
/// consumes it. That a release is drawn twice by mistake is therefore a compile-time error within one process, and the
/// ledger's rows prevent it over crashes.
package struct DrawPermit: ~Copyable, Sendable {
    /// Whose noise it is.
    package let release: NoiseReleaseID
    /// What was reserved for; no other noise can be drawn with it.
    package let terms: NoiseTerms

    init(release: NoiseReleaseID, terms: NoiseTerms) {
        self.release = release
        self.terms = terms
    }

    /// Adds noise to every declared cell, the empty ones too.
    ///
    /// - Parameters:
    ///   - values: one array per measure, one number per declared cell. Unit: the measure's.
    ///   - secret: what the noise is derived from, see ``DrawSecret``; nil takes the operating system's random source.
    /// - Returns: Sums that do not fit saturate, which is done after the noise and tells nothing.
    /// - Throws: As ``NoiseTerms/check(_:)``, which should be asked before anything is reserved: the permit is gone.
    /// - Complexity: O(cells) time and memory, about half a microsecond a number.
    package consuming func draw(_ values: [[Int64]], secret: DrawSecret? = nil) throws(NoiseError) -> NoiseDraw {
        guard let secret else {
            var bits = RandomBits()
            return try draw(values, using: &bits)
        }
        try terms.check(values)
        var bits = RandomBits(secret.generator(for: release, terms: terms, values: values))
        return try draw(values, using: &bits)
    }

    /// See ``draw(_:secret:)``, with fair bits from elsewhere.
    package consuming func draw(_ values: [[Int64]], using bits: inout some BitSource) throws(NoiseError) -> NoiseDraw {
        try terms.check(values)
        let noisy = values.indices.map { measure in
            var drawn: [Int64] = []
            drawn.reserveCapacity(terms.cells)
            for grouping in terms.groupings {
                let noise = grouping.distributions[measure]
                for value in values[measure][drawn.count..<drawn.count + grouping.cells] {
                    drawn.append(Int64(clamping: Int128(value) + noise.sample(using: &bits)))
                }
            }
            return drawn
        }
        return NoiseDraw(release: release, values: noisy)
    }
}

/// The noisy numbers of one release, drawn once; they are stored before anyone sees them and published as stored.
package struct NoiseDraw: Sendable, Hashable {
    /// Whose numbers they are.
    package let release: NoiseReleaseID
    /// One array per measure, one number per declared cell; may be negative. Unit: the measure's.
    package let values: [[Int64]]

    /// Made by ``DrawPermit/draw(_:using:)``, or read back by the store.
    package init(release: NoiseReleaseID, values: [[Int64]]) {
        self.release = release
        self.values = values
    }

    /// What its digest is taken over: the release, then one line per measure, decimal numbers with commas between.
    package var canonicalText: String {
        ([release.text] + values.map { $0.map(String.init).joined(separator: ",") }).joined(separator: "\n") + "\n"
    }
}

/// Which release: one metric of one app in one period, however often it is tried.
package struct NoiseReleaseID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Such as `shop/orders/day/1790000000`; the same whenever it is made, so that a second try meets the first.
    package let text: String

    /// Wraps a name.
    package init(_ text: String) { self.text = text }
    /// The name.
    package var description: String { text }
    /// Orders by the names' UTF-8 bytes.
    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
