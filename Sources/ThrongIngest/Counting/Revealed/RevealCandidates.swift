package import ThrongPlan
package import ThrongWire

/// The number of devices that have sent each hash of an unknown value, in each open window.
///
/// It is in memory only, and never written anywhere: a restart starts over, which only delays learning. Hashes and
/// identifiers are both keyed with the window's key. A pure state machine.
/// - Cost: at most ``mostHashes`` hashes a window and dimension, 30 to 60 bytes each, and 12 bytes for each device up
///   to what ``RevealThreshold`` asks for, about one and a half times the threshold.
package struct RevealCandidates: Sendable {
    /// The most hashes that are counted in one window of one dimension. Others are never asked for: identifiers and
    /// hashes cost a sender nothing, but memory here.
    package static let mostHashes = 65_536

    private var crowds: [WindowID: [DimensionName: Crowd]] = [:]

    /// The hashes of one dimension in one window.
    private struct Crowd: Sendable {
        /// The number of distinct identifiers of each keyed hash, no longer counted once there are enough. Unit: identifiers.
        var devices: [KeyedIdentifier: Int64] = [:]
        var pairs = FlatSet()
    }

    /// The outcome of noting a hash.
    package enum Outcome: Sendable {
        /// Too few devices have sent it so far.
        case few
        /// Enough devices have sent it: its value may be asked for.
        case enough
        /// There is no room to remember it.
        case full
    }

    package init() {}

    /// Notes that a device has sent a hash.
    ///
    /// - Parameters:
    ///   - threshold: k. Enough are k plus a hidden number: see ``RevealThreshold``.
    ///   - counts: true if the identifier stands for a device, as it does for floors. Otherwise nothing is noted, and
    ///     the result only says whether there are enough.
    package mutating func note(
        _ hash: KeyedIdentifier, by identifier: KeyedIdentifier, of dimension: DimensionName, in window: WindowID,
        threshold: Threshold, counts: Bool = true
    ) -> Outcome {
        guard counts else { return hasEnough(hash, of: dimension, in: window, threshold: threshold) ? .enough : .few }
        var crowd = crowds[window, default: [:]].removeValue(forKey: dimension) ?? Crowd()
        defer { crowds[window]?[dimension] = crowd }
        let known = crowd.devices[hash]
        let enough = RevealThreshold.devices(for: hash, threshold: threshold)
        if let known, known >= enough { return .enough }
        guard known != nil || crowd.devices.count < Self.mostHashes else { return .full }
        let isNew = crowd.pairs.insert(identifier.hash(with: hash.high, hash.low))
        let devices = (known ?? 0) + (isNew ? 1 : 0)
        crowd.devices[hash] = devices
        return devices >= enough ? .enough : .few
    }

    /// True if enough devices have sent a hash.
    package func hasEnough(
        _ hash: KeyedIdentifier, of dimension: DimensionName, in window: WindowID, threshold: Threshold
    ) -> Bool {
        (crowds[window]?[dimension]?.devices[hash] ?? 0) >= RevealThreshold.devices(for: hash, threshold: threshold)
    }

    /// Forgets all that an identifier has sent in a window. It must send nothing more there.
    package mutating func forget(_ identifier: KeyedIdentifier, in window: WindowID) {
        guard let known = crowds[window] else { return }
        for dimension in known.keys {
            guard var crowd = crowds[window]?.removeValue(forKey: dimension) else { continue }
            for (hash, devices) in crowd.devices
            where crowd.pairs.contains(identifier.hash(with: hash.high, hash.low)) {
                crowd.devices[hash] = devices > 1 ? devices - 1 : nil
            }
            crowds[window]?[dimension] = crowd
        }
    }

    package mutating func forgetWindows(overBy now: UnixSeconds) { crowds = crowds.filter { $0.key.over > now } }
}

extension WindowKey {
    /// Returns a client's hash under this key, so that memory holds none that could be tested without the key.
    package func keyed(_ hash: RevealedHash) -> KeyedIdentifier {
        withUnsafeBytes(of: (hash.high, hash.low)) { keyed($0) }
    }
}
