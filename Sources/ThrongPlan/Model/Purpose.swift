public import ThrongNoise

/// Why something is counted. Identifiers of two purposes can't be linked.
public struct Purpose: Sendable, Hashable {
    /// What clients send as `purpose`.
    public let name: PurposeName
    /// The sentence that people read: what the numbers are for.
    public let explanation: String
    /// Whether the person has to agree first.
    public let needsConsent: Bool
    /// Which opt-out signals refuse this purpose.
    public let refusedBy: Set<OptOutSignal>
    /// How long one identifier lives: the length of a window.
    public let rotation: Rotation
    /// How long released numbers are kept.
    public let retention: Duration
    /// What its noisy releases may cost together; nil where it makes none.
    public let budget: PrivacyBudget?

    /// Puts a purpose together.
    public init(
        name: PurposeName,
        explanation: String,
        needsConsent: Bool,
        refusedBy: Set<OptOutSignal>,
        rotation: Rotation,
        retention: Duration,
        budget: PrivacyBudget? = nil
    ) {
        self.name = name
        self.explanation = explanation
        self.needsConsent = needsConsent
        self.refusedBy = refusedBy
        self.rotation = rotation
        self.retention = retention
        self.budget = budget
    }
}

/// A way in which a person's software says no.
public enum OptOutSignal: String, Sendable, Hashable, CaseIterable, Codable {
    /// The header `Sec-GPC: 1`.
    case globalPrivacyControl = "global_privacy_control"
    /// The header `DNT: 1`.
    case doNotTrack = "do_not_track"
    /// The operating system's setting; the client library honours it.
    case limitAdTracking = "limit_ad_tracking"
}

/// The length of a window, in whole seconds: 60 seconds to one day.
public struct Rotation: Hashable, Sendable, Codable, Comparable {
    /// Unit: seconds.
    public let seconds: Int64

    /// 15 minutes, what a purpose gets that names none.
    public static let standard = Rotation(seconds: 900)
    /// One day; no identifier lives longer.
    public static let longest = Rotation(seconds: 86_400)

    /// Wraps a length that the plan's reader has checked.
    public init(seconds: Int64) { self.seconds = seconds }

    /// The window that holds an instant: floor(unix time / rotation).
    public func window(at unixSeconds: Int64) -> WindowNumber {
        WindowNumber(unixSeconds.flooredQuotient(by: seconds))
    }

    /// The instant, in Unix seconds, at which a window begins.
    public func start(of window: WindowNumber) -> Int64 { window.value * seconds }

    /// Orders by length.
    public static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}

/// Which rotation of the identifier: floor(unix time / rotation).
public struct WindowNumber: Hashable, Sendable, Comparable, Codable {
    /// Counted from 1970-01-01T00:00:00Z in units of the purpose's rotation.
    public let value: Int64
    /// Wraps a window's number.
    public init(_ value: Int64) { self.value = value }
    /// Orders by time.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

extension Int64 {
    /// The quotient rounded towards minus infinity.
    package func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
