internal import Synchronization

/// Draws which of many are followed: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) from a start drawn by chance. A
/// draw takes no call of the kernel, as the system's generator would with every request.
final class Sampler: Sendable {
    private let state = Atomic<UInt64>(.random(in: .min ... .max))

    /// Decides by chance whether a span is followed.
    func draws(percent: Int) -> Bool {
        var drawn = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        drawn = (drawn ^ (drawn >> 30)) &* 0xBF58_476D_1CE4_E5B9
        drawn = (drawn ^ (drawn >> 27)) &* 0x94D0_49BB_1331_11EB
        drawn ^= drawn >> 31
        return Int(drawn % 100) < percent
    }
}
