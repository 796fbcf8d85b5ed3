/// A decimal as printed: all of its digits as a whole number, and how many stand after the point.
struct FixedPoint: Hashable, Sendable {
    let digits: Int64
    let places: Int

    /// Nil where the text is no plain decimal or does not fit 64 bits.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, !whole.isEmpty else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts.count == 1 || !fraction.isEmpty, fraction.utf8.allSatisfy({ (48...57).contains($0) }),
            let digits = Int64(whole + fraction)
        else { return nil }
        self.digits = digits
        places = fraction.utf8.count
    }

    /// The number in units of 10^-places; nil where it has more places or does not fit.
    func scaled(to wanted: Int) -> Int64? {
        guard wanted >= places else { return nil }
        var result = digits
        for _ in places..<wanted {
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            result = product
        }
        return result
    }
}
