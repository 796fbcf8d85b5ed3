internal import Crypto
package import ThrongPlan
internal import ThrongSystem

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

/// The public key under which devices hash the values of a dimension in one window: see ``RevealedHash``.
package struct RevealedKey: Sendable {
    /// An HMAC that has taken in the key, and waits for a value.
    private let authenticator: HMAC<SHA256>
    private let isEvaluated: Bool

    /// Creates the key of a dimension in a window.
    ///
    /// - Parameter evaluator: the key whose outputs values are hashed with; nil if they are hashed alone.
    package init(of dimension: DimensionName, in window: WindowID, evaluator: EvaluatorKey? = nil) {
        isEvaluated = evaluator != nil
        let text = RevealedHash.keyText(
            app: window.app, purpose: window.purpose, dimension: dimension, window: window.number, evaluator: evaluator)
        authenticator = HMAC(key: SymmetricKey(data: SHA256.hash(data: text)))
    }

    /// Returns the hash of a value that needs no evaluation.
    package func hash(_ value: BucketLabel) -> RevealedHash {
        var authenticator = authenticator
        authenticator.update(data: Array(value.text.utf8))
        return RevealedHash(authenticationCode: authenticator.finalize())
    }

    /// Returns the hash of a value in a dimension that may be evaluated; nil if it needs an output and there is none.
    package func hash(_ value: BucketLabel, output: EvaluatedOutput?) -> RevealedHash? {
        guard isEvaluated else { return hash(value) }
        guard let output else { return nil }
        var authenticator = authenticator
        authenticator.update(data: output.bytes)
        authenticator.update(data: Array(value.text.utf8))
        return RevealedHash(authenticationCode: authenticator.finalize(), isEvaluated: true)
    }
}
