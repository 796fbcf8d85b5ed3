/// How long a device is one and the same in a metric's numbers of devices.
package enum DeviceSpan: Sendable, Codable, Hashable {
    /// As long as an identifier lasts. Unit: seconds.
    case windows(Int64)
    /// In each period, because it proves itself once in it (`reach: attested`).
    case period

    /// The span that a period is, or is a part of; nil where it touches several.
    func holding(_ period: AuditPeriod) -> AuditPeriod? {
        switch self {
        case .period: return AuditPeriod(start: period.start, end: period.end)
        case .windows(let seconds):
            let window = period.start.floored(by: seconds)
            guard window == (period.end - 1).floored(by: seconds) else { return nil }
            return AuditPeriod(start: window * seconds, end: (window + 1) * seconds)
        }
    }
}

extension Int64 {
    /// The quotient, rounded down.
    fileprivate func floored(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
