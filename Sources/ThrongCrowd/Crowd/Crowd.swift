internal import Foundation
internal import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

/// A crowd of devices: one that is made up from a plan, or the sample's, made of real devices and real shopping.
///
/// The sample's devices and sessions come from two different data sets, so its numbers are resampled: nobody bought this
/// on that. Each of its devices walks through the shop as a random shopper did.
package struct Crowd: Sendable {
    /// The devices that were read; none of a crowd that is made up as a whole.
    package let devices: [SampleDevice]
    /// The days that were read, of which each visitor has one; none makes days up.
    private let recorded: [RecordedDay]
    /// Those of each weekday, from Monday on, and how many devices come on it, in proportion.
    private let weekdays: [(days: [RecordedDay], volume: Double)]
    /// A crowd that is made up from a plan; nil for the sample's.
    private let made: MadeCrowd?

    /// One batch on its way.
    package struct Parcel: Sendable {
        /// JSON, as for `POST /v1/batches`.
        package let body: String
        package let events: Int
        /// The number of the day's device that sends it, from 0; no batch says so.
        package let device: Int
        /// The signals by which the device refuses to be counted: headers of the request.
        package let signals: Set<OptOutSignal>

        package init(body: String, events: Int, device: Int = 0, signals: Set<OptOutSignal> = []) {
            (self.body, self.events, self.device, self.signals) = (body, events, device, signals)
        }
    }

    /// One event of a visit.
    struct Step: Sendable {
        let event: String
        /// The second of the day.
        let second: Int64
        /// The fields of its own, with their values as JSON.
        let fields: [(name: String, json: String)]
    }

    /// Reads `devices.ndjson.gz` and `shop.csv.gz` from a folder.
    package init(folder: String) throws {
        devices = try SampleDevice.all(in: folder + "/devices.ndjson.gz")
        (recorded, made) = (try Self.shoppers(of: folder + "/shop.csv.gz"), nil)
        weekdays = RecordedDay.byWeekday(recorded, CrowdShares().weekdays)
    }

    /// Makes a crowd up from a plan: every event, and every bucket of every dimension.
    ///
    /// - Parameters:
    ///   - devices: real ones, whose user agents, screens, memories and cores it has; none makes them up, too.
    ///   - shares: what is known of how often buckets come.
    ///   - events: a file of recorded events, one device's day of which each device has; nil makes days up.
    package init(
        of plan: Plan, devices: [SampleDevice] = [], shares: CrowdShares = CrowdShares(), events: String? = nil
    ) throws {
        self.devices = devices
        recorded = try events.map { try RecordedDay.all(in: $0, plan.calendar) } ?? []
        // Recorded were those who could be.
        made = try MadeCrowd(plan, shares: shares, consenting: recorded.isEmpty ? 0.75 : 1, rules: .system)
        weekdays = RecordedDay.byWeekday(recorded, shares.weekdays)
    }

    /// The number of devices on a day of so many on average: each weekday has its own, where somebody knows it.
    package func devices(_ average: Int, on day: UnixSeconds) -> Int {
        let part = weekdays[day.weekday].volume / max(weekdays.reduce(0) { $0 + $1.volume }, .leastNormalMagnitude)
        return Int((7 * part * Double(average)).rounded())
    }

    /// The devices of a recorded day, on average; nil of other crowds.
    package var recordedDevices: Int? {
        guard isMadeUp, let first = recorded.map(\.day).min(), let last = recorded.map(\.day).max() else { return nil }
        return max(1, recorded.count / (Int(last.value - first.value) / 86_400 + 1))
    }

    /// True if it comes from a plan, or from recorded events.
    package var isMadeUp: Bool { made != nil }

    /// True if nobody said which of its fields go together.
    var isGuessed: Bool { recorded.isEmpty }

    /// The events of which nobody said how many devices send them.
    package var guessedEvents: [String] { isGuessed ? made?.guessedEvents ?? [] : [] }

    package enum Posting: Sendable {
        /// All at one time, whenever their events happened: a demonstration does not last a day.
        case atOnce(UnixSeconds)
        /// Each device posts in the window in which its events happened.
        case asItHappens
    }

    /// Hands out every device's batches, all of one day, each in its purpose's window.
    ///
    /// - Parameters:
    ///   - purposes: those that are sent. A device has one identifier for each and window. Where all post at one time
    ///     and a metric looks at what identifiers did within their window, it has one a visit.
    ///   - seed: the same crowd for the same seed, but for identifiers and batch ids.
    ///   - isShuffled: whether devices come in another order for another seed.
    package func forEachParcel(
        plan: Plan, purposes: [Purpose], day: UnixSeconds, posting: Posting, devices count: Int, seed: UInt64,
        isShuffled: Bool = false, progress: () -> Void = {}, _ take: (Parcel, _ sent: UnixSeconds) throws -> Void
    ) rethrows {
        let routes = purposes.map { Route($0, of: plan, unsampled: made.map { _ in Set(guessedEvents) }) }
        var device = 0
        try forEachVisitor(count, on: day, seed: seed, isShuffled: isShuffled) { visitor in
            let visits = visitor.visits
            var random = SeededGenerator(seed: seed &+ UInt64(device))
            for route in routes where visitor.agrees(to: route.purpose) {
                for draft in route.drafts(visits, delay: visitor.manners.delay, day: day, posting, &random) {
                    let identifier = route.purpose.hasIdentifiers ? ",\"id\":\"\(BatchID.random())\"" : ""
                    let head =
                        "\"app\":\"\(plan.app.name)\",\"purpose\":\"\(route.purpose.name)\",\"window\":"
                        + "\(route.purpose.rotation.window(at: draft.sent).value),"
                        + route.purpose.consentMember(isOutdated: visitor.manners.isOutdated)
                        + "\"context\":{\(visitor.context(allowed: route.context))}"
                    for start in stride(from: 0, to: draft.events.count, by: 100) {
                        let events = draft.events[start..<min(start + 100, draft.events.count)]
                        let body =
                            "{\(head)\(identifier),\"batch\":\"\(BatchID.random())\","
                            + "\"events\":[\(events.joined(separator: ","))]}"
                        let parcel = Parcel(
                            body: body, events: events.count, device: device, signals: visitor.manners.signals)
                        try take(parcel, draft.sent)
                    }
                }
            }
            device += 1
            progress()
        }
    }

    /// Those who come: devices in turn, each with a random shopper; of recorded ones no device twice.
    package func visitors(_ count: Int, seed: UInt64, isShuffled: Bool = false) -> [Visitor] {
        if isMadeUp, !isGuessed {
            var (seen, random): (Set<String>, SeededGenerator) = ([], SeededGenerator(seed: seed))
            let days = recorded.filter { seen.insert($0.device).inserted }.shuffled(using: &random)
            return days.prefix(count).map { Visitor($0, on: nil, seed: random.next()) }
        }
        var visitors: [Visitor] = []
        forEachVisitor(count, seed: seed, isShuffled: isShuffled) { visitors.append($0) }
        return visitors
    }

    private func forEachVisitor(
        _ count: Int, on day: UnixSeconds = .epoch, seed: UInt64, isShuffled: Bool, _ take: (Visitor) throws -> Void
    ) rethrows {
        let recorded = weekdays[day.weekday].days
        var random = SeededGenerator(seed: seed)
        let devices = isShuffled ? devices.shuffled(using: &random) : devices
        for place in 0..<count {
            let sample = devices.isEmpty ? nil : devices[place % devices.count]
            if let made, isGuessed {
                try take(Visitor(made.guest(seed: random.next(), sample: sample), of: made))
            } else {
                let day = recorded[Int(random.next() % UInt64(recorded.count))]
                try take(Visitor(day, on: sample, seed: random.next(), of: made))
            }
        }
    }

    // MARK: Parts

    /// The events of one purpose, and which of their fields it uses.
    private struct Route {
        let purpose: Purpose
        /// True if a visit has an identifier of its own where all post at one time.
        private let isByVisit: Bool
        /// The fields of each event that the purpose counts.
        private let fields: [String: Set<String>]
        let context: Set<String>
        /// The shares of the events that a client sends, where it sends a sample.
        private let samples: [String: Double]

        /// - Parameter unsampled: the events of which more happen than clients send; nil for all.
        init(_ purpose: Purpose, of plan: Plan, unsampled: Set<String>?) {
            self.purpose = purpose
            let rates = plan.metrics.filter { $0.purpose == purpose.name && $0.sampling < 1 }
                .flatMap { metric in metric.events.map { ($0.text, metric.sampling) } }
            samples = Dictionary(rates.filter { unsampled?.contains($0.0) ?? true }, uniquingKeysWith: min)
            isByVisit = plan.metrics.contains { $0.within != nil && $0.purpose == purpose.name }
            fields = Dictionary(
                uniqueKeysWithValues: plan.events(of: purpose.name).map { event in
                    (event.text, Set(plan.fields(of: event, purpose: purpose.name).map(\.text)))
                })
            context = Set(plan.contextFields(of: purpose.name).map(\.text))
        }

        func drafts(
            _ visits: [[Step]], delay: Int64, day: UnixSeconds, _ posting: Posting, _ random: inout SeededGenerator
        ) -> [(events: [String], sent: UnixSeconds)] {
            var drafts = Drafts()
            for (visit, steps) in visits.enumerated() {
                for step in steps {
                    guard let used = fields[step.event] else { continue }
                    if let sample = samples[step.event], random.fraction() >= sample { continue }
                    let own = step.fields.filter { used.contains($0.name) }.map { "\"\($0.name)\":\($0.json)" }
                    let at = day + step.second
                    let event =
                        "{\"event\":\"\(step.event)\",\"at\":\"\(Instant.text(at))\""
                        + (own.isEmpty ? "}" : ",\"fields\":{\(own.joined(separator: ","))}}")
                    switch posting {
                    case .atOnce(let now): drafts.add(event, to: isByVisit ? Int64(visit) : 0, sent: now)
                    case .asItHappens:
                        drafts.add(event, to: purpose.rotation.window(at: at + delay).value, sent: at + delay)
                    }
                }
            }
            return drafts.all
        }
    }

    /// The shop's file has no amounts: these are made up, skewed as orders are, 5 to 400 EUR.
    static func amount(_ random: inout SeededGenerator) -> String {
        let share = random.fraction()
        let cents = Int(500 + 39_500 * share * share * share)
        return "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }

    private static func shoppers(of file: String) throws -> [RecordedDay] {
        let lines = try SampleDevice.lines(of: file)
        let names = (lines.first ?? "").split(separator: ",").map(String.init)
        let columns = ["user_id", "session_id", "event", "timestamp", "acquisition_channel", "user_lifecycle"]
            .map { names.firstIndex(of: $0) }
        guard !columns.contains(nil) else { throw CrowdError.lacksColumns(file: file) }
        let places = columns.compactMap { $0 }
        var (order, reader): ([String], TimestampReader) = ([], TimestampReader())
        var shoppers: [String: RecordedDay] = [:]
        var (lastSession, name) = ("", "")
        for (place, line) in lines.enumerated().dropFirst() {
            let values = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            var time = values.count == names.count ? values[places[3]].replacing(" ", with: "T") + "Z" : ""
            guard let at = time.withUTF8({ reader.instant($0) }) else {
                throw CrowdError.unlikeHeader(file: file, line: place + 1)
            }
            let isNewSession = values[places[1]] != lastSession
            lastSession = values[places[1]]
            if isNewSession { name = "\(values[places[0]]) \(PeriodCalendar.utc.date(at: at))" }
            if shoppers[name] == nil { order.append(name) }
            shoppers[name, default: RecordedDay(device: name)].values["channel"] = .text(values[places[4]])
            shoppers[name]?.values["lifecycle"] = .text(values[places[5]])
            shoppers[name]?.add(values[places[2]], at: at, opensSession: isNewSession)
        }
        return order.compactMap { shoppers[$0] }
    }
}

extension Purpose {
    /// The member of a batch for the version that people agreed to, or the one before it, with a comma behind it; empty
    /// where that is the first.
    package func consentMember(isOutdated: Bool = false) -> String {
        let version = isOutdated ? consentVersion - 1 : consentVersion
        return version > 1 ? "\"consent_version\":\(version)," : ""
    }
}

/// The reason why a file of the sample, or one of shares, can't be read.
package enum CrowdError: Error, Equatable, CustomStringConvertible {
    case unreadable(file: String)
    case malformed(file: String, line: Int)
    case malformedShare(file: String, line: Int)
    case malformedEvent(file: String, line: Int)
    case lacksColumns(file: String)
    case unlikeHeader(file: String, line: Int)

    package var description: String {
        switch self {
        case .unreadable(let file):
            "\(file): there is no such file, or it can't be read. Name a file of the sample, as in Deploy/sample, or none at all."
        case .malformed(let file, let line):
            "\(file): line \(line) is no device. Each line is one JSON object, as in Deploy/sample/devices.ndjson.gz."
        case .malformedShare(let file, let line):
            "\(file): line \(line) is no share. After a header each line is a dimension of the plan, one of its buckets, and a number "
                + "from 0, such as genre,News,0.4; or devices, an event and a share; events, an event and a number from 1; consent, a "
                + "purpose that asks and a share; hours, an hour in UTC and a share; or weekdays, such as Sat, and a number."
        case .malformedEvent(let file, let line):
            "\(file): line \(line) is no event of a device. Each line is one JSON object, such as "
                + #"{"event":"home","at":"2026-11-21T10:02:11Z","device":"a","fields":{},"context":{}}."#
        case .lacksColumns(let file):
            "\(file): its first line lacks one of user_id, session_id, event, timestamp, acquisition_channel, "
                + "user_lifecycle. Name a file such as Deploy/sample/shop.csv.gz."
        case .unlikeHeader(let file, let line):
            "\(file): line \(line) does not fit the first line, or has no instant such as 2024-03-13 10:21:14. Mend the line."
        }
    }
}

/// An event that somebody wrote down: a line of NDJSON that `throng replay` posts and `throng plan check --events` reads.
package struct RecordedEvent: Sendable, Decodable {
    package let event: String
    /// RFC 3339.
    package let at: String
    package let fields: [String: Batch.Scalar]?
    package let count: Int?
    package let device: String?
    package let context: [String: Batch.Scalar]?
}

/// One device's events of one of the app's days, and the fields that it said of itself.
struct RecordedDay: Sendable {
    let device: String
    /// The beginning of the same date in UTC.
    let day: UnixSeconds
    var values: [FieldName: MadeValue] = [:]
    /// Its visits, each with its steps in their order.
    private(set) var visits: [[Crowd.Step]] = []
    /// The time at which the last visit began.
    private var start = UnixSeconds.epoch

    init(device: String, day: UnixSeconds = .epoch) { (self.device, self.day) = (device, day) }

    /// Adds an event of a session, at the same time of day as in the original; a session that runs past midnight stays
    /// on its day.
    mutating func add(_ event: String, at: UnixSeconds, opensSession: Bool) {
        if opensSession || visits.isEmpty {
            visits.append([])
            start = at
        }
        let second = min(start.value % 86_400 + (at.value - start.value), 86_399)
        visits[visits.count - 1].append(Crowd.Step(event: event, second: second, fields: []))
    }

    /// Reads a file: fields that go together do so in each device's day, and it has its own hours.
    static func all(in file: String, _ calendar: PeriodCalendar) throws -> [RecordedDay] {
        guard let bytes = FileManager.default.contents(atPath: file) else { throw CrowdError.unreadable(file: file) }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        let decoder = JSONDecoder()
        var (days, places): ([RecordedDay], [String: Int]) = ([], [:])
        var reader = TimestampReader()
        for (number, line) in lines.enumerated() {
            let malformed = CrowdError.malformedEvent(file: file, line: number + 1)
            let event: RecordedEvent
            do { event = try decoder.decode(RecordedEvent.self, from: Data(line.utf8)) } catch { throw malformed }
            var text = event.at
            guard let at = text.withUTF8({ reader.instant($0) }), let device = event.device else { throw malformed }
            let day = UnixSeconds(calendar.date(at: at).daysSince1970 * 86_400)
            let place = places["\(day) \(device)", default: days.count]
            places["\(day) \(device)"] = place
            if place == days.count { days.append(RecordedDay(device: device, day: day)) }
            days[place].add(event, second: calendar.secondOfDay(at: at))
        }
        guard !days.isEmpty else { throw CrowdError.malformedEvent(file: file, line: 1) }
        return days
    }

    /// Returns each weekday's days, from Monday on, and how many one has; of less than a week all, and what is known.
    static func byWeekday(_ all: [RecordedDay], _ known: [Double]) -> [(days: [RecordedDay], volume: Double)] {
        guard let first = all.map(\.day).min(), let last = all.map(\.day).max(), last.value - first.value >= 6 * 86_400
        else { return known.map { (all, $0) } }
        let dates = stride(from: first.value, through: last.value, by: 86_400).map { UnixSeconds($0).weekday }
        return known.indices.map { weekday in
            let own = all.filter { $0.day.weekday == weekday }
            return (own, Double(own.count) / Double(dates.count { $0 == weekday }))
        }
    }

    private mutating func add(_ event: RecordedEvent, second: Int64) {
        for (name, value) in event.context ?? [:] { values[FieldName(name)] = value.made }
        let fields = (event.fields ?? [:]).compactMap { name, value in value.made.json.map { (name: name, json: $0) } }
        let step = Crowd.Step(event: event.event, second: second, fields: fields)
        if visits.isEmpty { visits = [[]] }
        visits[0] += Array(repeating: step, count: min(max(event.count ?? 1, 1), 1000))
    }
}

extension Batch.Scalar {
    /// The same for a crowd; a flag is its word.
    fileprivate var made: MadeValue {
        switch self {
        case .text(let text): .text(text)
        case .integer(let integer): .number(Double(integer))
        case .number(let number): .number(number)
        case .flag(let flag): .text("\(flag)")
        case .null: .missing
        }
    }
}

extension UnixSeconds {
    /// 0 is Monday.
    fileprivate var weekday: Int { PeriodCalendar.utc.date(at: self).weekday }
}
