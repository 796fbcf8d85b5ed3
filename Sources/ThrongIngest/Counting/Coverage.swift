package import ThrongPlan

/// The kinds of totals over a whole app: the outcomes of events, and the network shares of windows; about nobody.
package enum CoverageKind: Hashable, Sendable {
    /// Events that changed a counter.
    case accepted
    /// Accepted events of an identifier that was proved by then.
    case proved
    /// Events that counted into a later period because their own was released; counted once per metric.
    case late
    /// Events that changed no counter.
    case refused(RefusalReason)
    /// Windows, not events: those of which the largest network brought such a share of the identifiers.
    case windows(NetworkShare)

    /// The first code for windows.
    private static let firstShare: UInt8 = 200
    private static let provedCode: UInt8 = 254

    /// A stable number for files.
    package var code: UInt8 {
        switch self {
        case .accepted: 0
        case .proved: Self.provedCode
        case .late: 255
        case .refused(let reason): reason.code
        case .windows(let share): Self.firstShare + share.rawValue
        }
    }

    /// Returns the kind with a code; nil for a code that this version does not know.
    package init?(code: UInt8) {
        switch code {
        case 0: self = .accepted
        case Self.provedCode: self = .proved
        case 255: self = .late
        case Self.firstShare..<Self.provedCode:
            guard let share = NetworkShare(rawValue: code - Self.firstShare) else { return nil }
            self = .windows(share)
        default:
            guard let reason = RefusalReason(code: code) else { return nil }
            self = .refused(reason)
        }
    }

    /// The name in the schema.
    package var name: String {
        switch self {
        case .accepted: "accepted"
        case .proved: "proved"
        case .late: "late"
        case .refused(let reason): reason.rawValue
        case .windows(let share): share.kind
        }
    }
}

/// An increase of one total of an app.
package struct CoverageDelta: Hashable, Sendable {
    package let app: AppName
    /// The hour, by UTC. For most events it is that in which the batch's window began. For late events it is the first
    /// that begins in the period that took them. For opt-outs and events without consent it is that in which they came.
    package let hour: UnixSeconds
    package let kind: CoverageKind
    /// Unit: events, or windows.
    package let events: Int64

    package init(app: AppName, hour: UnixSeconds, kind: CoverageKind, events: Int64) {
        (self.app, self.hour, self.kind, self.events) = (app, hour, kind, events)
    }

    /// Returns the first hour that begins in a period.
    package static func hour(ofPeriod start: UnixSeconds) -> UnixSeconds { hour(holding: start + 3599) }

    /// Returns the hour, by UTC, that holds an instant.
    static func hour(holding time: UnixSeconds) -> UnixSeconds { UnixSeconds(time.flooredQuotient(by: 3600) * 3600) }
}

/// Totals of apps that PostgreSQL does not have yet.
struct PendingCoverage: Sendable {
    private struct Key: Hashable {
        let app: AppName
        let hour: UnixSeconds
        let kind: UInt8
    }

    private var totals: [Key: Int64] = [:]

    mutating func add(_ delta: CoverageDelta) {
        func add(to total: inout Int64) { total = total.saturatingAdd(delta.events) }
        add(to: &totals[Key(app: delta.app, hour: delta.hour, kind: delta.kind.code), default: 0])
    }

    /// The deltas, sorted by app, hour and kind so that all daemons lock rows in one order.
    var deltas: [CoverageDelta] {
        totals.compactMap { key, events in
            CoverageKind(code: key.kind).map { CoverageDelta(app: key.app, hour: key.hour, kind: $0, events: events) }
        }.sorted { ($0.app, $0.hour, $0.kind.code) < ($1.app, $1.hour, $1.kind.code) }
    }
}

extension CountedBatch {
    /// Calls `body` for each delta that it adds to the totals of its app.
    func forEachCoverage(_ body: (CoverageDelta) -> Void) {
        let hour = CoverageDelta.hour(holding: window.rotation.start(of: window.number))
        func add(_ kind: CoverageKind, _ events: Int64, _ hour: UnixSeconds) {
            body(CoverageDelta(app: window.app, hour: hour, kind: kind, events: events))
        }
        if answer.accepted > 0 {
            add(.accepted, Int64(answer.accepted), hour)
            if isProved { add(.proved, Int64(answer.accepted), hour) }
        }
        if !answer.refused.isEmpty {
            var reasons: [RefusalReason: Int64] = [:]
            for refusal in answer.refused { reasons[refusal.reason, default: 0] += 1 }
            for (reason, events) in reasons { add(.refused(reason), events, hour) }
        }
        for addition in additions where addition.isLate {
            add(.late, addition.count, CoverageDelta.hour(ofPeriod: addition.periodStart))
        }
    }
}

extension Counting {
    /// Notes events that were refused for want of consent. They are not journalled: if the process dies, those since
    /// the last flush are lost.
    ///
    /// - Parameter reason: `optedOut` or `consentOutdated`.
    package mutating func noteUnwanted(
        _ events: Int, _ reason: RefusalReason = .optedOut, app: AppName, now: UnixSeconds
    ) {
        pending.coverage.add(
            CoverageDelta(
                app: app, hour: CoverageDelta.hour(holding: now), kind: .refused(reason), events: Int64(events)))
    }

    /// Notes the share of a window's largest network. It is not journalled: if the process dies before the next flush, it is lost.
    package mutating func note(_ share: NetworkShare, of window: WindowID) {
        pending.coverage.add(
            CoverageDelta(
                app: window.app, hour: CoverageDelta.hour(holding: window.rotation.start(of: window.number)),
                kind: .windows(share), events: 1))
    }
}
