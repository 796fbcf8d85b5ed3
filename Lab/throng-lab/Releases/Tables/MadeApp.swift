internal import Foundation
import ThrongCrowd
import ThrongPlan
internal import ThrongSystem

/// An app whose people are made up from its plan's own words: of each list the first is common and the last is rare. What devices of the
/// sample say of themselves is said as it is.
struct MadeApp {
    private let plan: Plan
    private let counter: DayCounter
    private let devices: [SampleDevice]
    /// By field, its buckets' labels as JSON: a label lands in its own bucket.
    private let words: [FieldName: [String]]
    /// Of what a device has one.
    private let fixed: Set<FieldName>
    /// Of a device and day. Unit: events.
    private let mostEvents: Int

    init(_ plan: Plan, devices: [SampleDevice]) throws {
        (self.plan, self.devices) = (plan, devices)
        counter = try DayCounter(plan)
        fixed = Set(plan.dimensions.filter(\.partitionsDevices).map(\.field))
        mostEvents = min(12, plan.metrics.map(\.contributionBound).min() ?? 1)
        var words: [FieldName: [String]] = [:]
        for dimension in plan.dimensions where dimension.field != .event {
            let labels = try dimension.rule.compiled(rules: .system).labels
            words[dimension.field] = labels.filter { $0 != .other }.map(\.text.quotedJSON)
        }
        self.words = words
    }

    /// One day's counters and releases, each day with people and a secret of its own.
    func day(_ number: Int, devices count: Int) throws -> ForecastDay {
        let day = Shop.period(number)
        let counted = try counter.count { take in
            var random = SeededGenerator(seed: 20_261_121 + UInt64(number))
            for _ in 0..<count {
                for purpose in plan.purposes { try take(parcel(purpose, on: day, &random), day.end + 1) }
            }
        }
        return try ForecastDay(counted, of: plan, seed: UInt64(number))
    }

    private func parcel(_ purpose: Purpose, on day: Period, _ random: inout SeededGenerator) -> Crowd.Parcel {
        let said = devices.randomElement(using: &random)?.fields ?? []
        func json(_ field: FieldName) -> String? {
            let json = said.first { $0.name == field.text }?.json ?? words[field].flatMap { Self.pick($0, &random) }
            return json.map { "\"\(field)\":\($0)" }
        }
        let names = plan.metrics.filter { $0.purpose == purpose.name }.flatMap(\.events)
            .reduce(into: [EventName]()) { if !$0.contains($1) { $0.append($1) } }
        let at = "\(PeriodCalendar.utc.date(at: day.start))T12:00:00Z"
        let context = plan.contextFields(of: purpose.name).sorted().filter(fixed.contains).compactMap(json)
        var events: [String] = []
        for _ in 0..<(Self.pick(Array(1...mostEvents), &random) ?? 1) {
            guard let name = Self.pick(names, &random) else { continue }
            let fields = plan.fields(of: name, purpose: purpose.name).subtracting(fixed).sorted().compactMap(json)
            events.append("{\"event\":\"\(name)\",\"at\":\"\(at)\",\"fields\":{\(fields.joined(separator: ","))}}")
        }
        let body =
            "{\"app\":\"\(plan.app.name)\",\"purpose\":\"\(purpose.name)\","
            + "\"window\":\(purpose.rotation.window(at: day.end + 1).value),"
            + "\"context\":{\(context.joined(separator: ","))},\"id\":\"\(BatchID.random())\","
            + "\"batch\":\"\(BatchID.random())\",\"events\":[\(events.joined(separator: ","))]}"
        return Crowd.Parcel(body: body, events: events.count)
    }

    /// The one of rank r with a weight of 1/r, near enough.
    private static func pick<Element>(_ all: [Element], _ random: inout SeededGenerator) -> Element? {
        guard !all.isEmpty else { return nil }
        return all[min(Int(pow(Double(all.count + 1), random.fraction())) - 1, all.count - 1)]
    }
}
