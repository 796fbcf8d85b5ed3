import ThrongWire

/// One published number, wherever it was read.
package struct AuditNumber: Sendable, Hashable {
    let source: String
    let app: String
    let metric: String
    /// A name that tells one layout of the metric from another, if the source says it.
    let layout: String
    let period: AuditPeriod
    let measure: AuditMeasure
    /// The buckets that are added up, by dimension that is kept: one, or those of a funnel's later steps too.
    let buckets: [String: Set<String>]
    /// The value as it was counted; a sampled metric's is within the sample. Unit: the measure's.
    let value: Double
    /// The half-width that was stated beside it; nil if none was.
    let margin: Double?

    package init(
        source: String, app: String, metric: String, layout: String = "", period: AuditPeriod,
        measure: AuditMeasure, buckets: [String: Set<String>] = [:], value: Double, margin: Double? = nil
    ) {
        (self.source, self.app, self.metric, self.layout) = (source, app, metric, layout)
        self.period = period
        (self.measure, self.buckets, self.value, self.margin) = (measure, buckets, value, margin)
    }

    /// The number in words: "visits devices of os=Linux in 2026-11-21 = 31".
    var text: String { "\(metric) \(measure) of \(place) in \(period.label) = \(AuditText.number(value))" }

    /// The buckets in words: "os=Linux, region=AT+DE", or "everybody".
    var place: String {
        buckets.isEmpty
            ? "everybody"
            : buckets.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.sorted().joined(separator: "+"))" }
                .joined(separator: ", ")
    }

    /// The number's meaning, which is the same in every source.
    var meaning: String { "\(app) \(metric) \(layout) \(measure) \(period.label) \(place)" }
}

/// The things that a published number counts.
package enum AuditMeasure: Sendable, Hashable, CustomStringConvertible {
    /// Events, or identifiers if the metric counts these.
    case events
    case devices
    case sum(String)

    /// The name: "events", "devices", or the sum's.
    package var description: String {
        switch self {
        case .events: "events"
        case .devices: "devices"
        case .sum(let name): name
        }
    }
}

/// The time that a number covers, as reports name it: 2026-11-21T10:00, 2026-11-21, 2026-W47 or 2026-11.
package struct AuditPeriod: Sendable, Hashable, Comparable {
    package let label: String

    package init(_ label: String) { self.label = label }

    /// True if there is such a day, week or month; hours have the offset of a time zone that is not known here.
    var isReal: Bool { label.contains("T") || PeriodCalendar.utc.period(labelled: label) != nil }

    /// Orders periods of one kind by time.
    package static func < (left: Self, right: Self) -> Bool { left.label < right.label }

    var kind: PeriodKind {
        if label.contains("T") { return .hour }
        if label.contains("W") { return .week }
        return label.utf8.count > 7 ? .day : .month
    }

    /// Returns the number of shorter periods that it consists of; hours for a day on which no clock is changed.
    func parts(of base: PeriodKind) -> Double {
        func hours(_ kind: PeriodKind) -> Double {
            switch kind {
            case .hour: 1
            case .day: 24
            case .week: 168
            case .month: 24 * days
            }
        }
        return max(1, (hours(kind) / hours(base)).rounded())
    }

    private var days: Double {
        guard let first = CalendarDate("\(label)-01") else { return 30 }
        let month = PeriodCalendar.utc.period(.month, containing: PeriodCalendar.utc.midnight(of: first))
        return Double(month.end - month.start) / 86_400
    }
}

/// Numbers as people read them.
enum AuditText {
    /// Returns a number with at most two decimals, and none if it is whole.
    static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        let hundredths = Int64((value * 100).rounded())
        let (whole, rest) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
        let sign = hundredths < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
