internal import ThrongPlan
internal import ThrongSystem

/// The number of devices that must have sent a hash in a window before its value is asked for: k plus a number that
/// only the window's key knows.
///
/// Identifiers cost nothing: somebody can send a hash from one invented device after another and see at which of them
/// it is asked for. If that were the k-th, they would have counted everybody else who sent it. With m = max(5, k/2) and
/// s = max(1, k/5), the number r that is added has a chance proportional to (s/(s + 1))^|r − m|. So one device more or
/// less changes the chance of any outcome by a factor of (s + 1)/s at most, except for r = 0, whose chance is under 3
/// %. No upper end of r can be reached: a late request does not prove that others are few.
enum RevealThreshold {
    /// The largest r, in thresholds. The chance of a larger one is under 10^-15.
    private static let most: Int64 = 12

    /// Returns the number of devices for a hash: at least k, and the same for the same hash under the same key.
    ///
    /// - Parameter hash: the hash under its window's key, so that its bits are as good as random to whoever lacks that
    ///   key.
    static func devices(for hash: KeyedIdentifier, threshold: Threshold) -> Int64 {
        if Fault.askAtThreshold.isOn { return threshold.devices }
        // The identifiers' hashes use both halves in other ways, and are never shown.
        let drawn = Double((hash.high ^ hash.low.byteSwapped) >> 11) / Double(UInt64(1) << 53)
        return threshold.devices + extra(at: drawn, threshold: threshold)
    }

    /// Returns r at a place of its distribution.
    ///
    /// - Parameter place: from 0 to 1, excluding 1.
    static func extra(at place: Double, threshold: Threshold) -> Int64 {
        let middle = max(5, threshold.devices / 2)
        let spread = Double(max(1, threshold.devices / 5))
        let ratio = spread / (spread + 1)
        // The weights start at r = 0; those beyond the middle are a geometric series, so that the total is exact.
        var first = 1.0
        for _ in 0..<middle { first *= ratio }
        var total = 1 / (1 - ratio)
        var weight = 1.0
        for _ in 0..<middle {
            weight *= ratio
            total += weight
        }
        var rest = place * total
        weight = first
        var extra: Int64 = 0
        while rest >= weight, extra < most * threshold.devices {
            rest -= weight
            weight = extra < middle ? weight / ratio : weight * ratio
            extra += 1
        }
        return extra
    }
}
