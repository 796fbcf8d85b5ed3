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

    /// Adds noise from the operating system's random source to every declared cell, the empty ones too.
    ///
    /// - Parameter values: one array per measure, one number per declared cell. Unit: the measure's.
    /// - Returns: Sums that do not fit saturate, which is done after the noise and tells nothing.
    /// - Throws: As ``NoiseTerms/check(_:)``, which should be asked before anything is reserved: the permit is gone.
    /// - Complexity: O(cells) time and memory, about half a microsecond a number.
    package consuming func draw(_ values: [[Int64]]) throws(NoiseError) -> NoiseDraw {
        var bits = RandomBits()
        return try draw(values, using: &bits)
    }

    /// See ``draw(_:)``, with fair bits from elsewhere.
    package consuming func draw(_ values: [[Int64]], using bits: inout some BitSource) throws(NoiseError) -> NoiseDraw {
        try terms.check(values)
        let noisy = zip(terms.distributions, values).map { noise, column in
            column.map { Int64(clamping: Int128($0) + noise.sample(using: &bits)) }
        }
        return NoiseDraw(release: release, values: noisy)
    }
}
