import Foundation
import ThrongChance
import ThrongIntake
import ThrongLoad
import ThrongPlan
import ThrongWire

/// A crowd made of real devices and real shopping: each device walks through the shop as a random shopper did.
///
/// Devices and sessions come from two different data sets, so the numbers are resampled: nobody bought this on that.
struct Crowd {
    let devices: [SampleDevice]
    private let shoppers: [Shopper]
    /// Devices whose line in the file is the only one like it.
    let uniqueRaw: Int

    private struct Shopper {
        var sessions: [[Step]] = []
        var channel = ""
        var lifecycle = ""

        mutating func add(_ step: Step, opensSession: Bool) {
            if opensSession || sessions.isEmpty { sessions.append([]) }
            sessions[sessions.count - 1].append(step)
        }
    }

    private struct Step {
        let event: String
        /// When it was in the original.
        let at: UnixSeconds
    }

    /// Reads `devices.ndjson.gz` and `shop.csv.gz` from a folder.
    init(folder: String) throws {
        let lines = try Self.lines(of: folder + "/devices.ndjson.gz")
        devices = try lines.map { try SampleDevice(line: $0) }
        uniqueRaw = Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +).values.count { $0 == 1 }
        shoppers = try Self.shoppers(in: Self.lines(of: folder + "/shop.csv.gz"))
    }

    /// Every device's batches, all on one day, each in its purpose's window.
    ///
    /// - Parameters:
    ///   - plan: decides which events and fields are sent at all.
    ///   - purposes: those that are sent. A device has one identifier for each, but where a metric looks at what identifiers
    ///     did within their window, one a visit.
    ///   - day: the first second of the day.
    ///   - now: decides the windows.
    ///   - seed: the same crowd for the same seed, but for identifiers and batch ids.
    func parcels(
        plan: Plan, purposes: [Purpose], day: UnixSeconds, now: UnixSeconds, devices count: Int, seed: UInt64,
        progress: ProgressBar
    ) -> [BatchSender.Parcel] {
        var random = SeededGenerator(seed: seed)
        let visits = Set(plan.purposesWithin.map(\.name))
        let purposes = purposes.map { purpose in
            (
                purpose: purpose,
                isByVisit: visits.contains(purpose.name),
                events: Set(plan.events(of: purpose.name).map(\.text)),
                context: Set(plan.contextFields(of: purpose.name).map(\.text)),
                window: purpose.rotation.window(at: now).value
            )
        }
        var parcels: [BatchSender.Parcel] = []
        for place in 0..<count {
            let device = devices[place % devices.count]
            let shopper = shoppers[Int(random.next() % UInt64(shoppers.count))]
            let amountSeed = random.next()
            for entry in purposes {
                var amounts = SeededGenerator(seed: amountSeed)
                let context = Self.context(of: device, shopper: shopper, allowed: entry.context)
                let head =
                    "\"app\":\"\(plan.app.name)\",\"purpose\":\"\(entry.purpose.name)\",\"window\":\(entry.window),"
                    + "\"context\":{\(context)}"
                var identifier = BatchID.random()
                var events: [String] = []
                func close() {
                    guard !events.isEmpty else { return }
                    let body =
                        "{\(head),\"id\":\"\(identifier)\",\"batch\":\"\(BatchID.random())\","
                        + "\"events\":[\(events.joined(separator: ","))]}"
                    parcels.append(BatchSender.Parcel(body: body, events: events.count))
                    events = []
                }
                for session in shopper.sessions {
                    for step in session {
                        let amount = step.event == "purchase" ? Self.amount(&amounts) : nil
                        guard entry.events.contains(step.event) else { continue }
                        let fields =
                            entry.context.contains("amount")
                            ? amount.map { ",\"fields\":{\"amount\":\($0)}" } ?? "" : ""
                        let at = Self.time(of: step, in: session, on: day)
                        events.append("{\"event\":\"\(step.event)\",\"at\":\"\(at)\"\(fields)}")
                        if events.count == 100 { close() }
                    }
                    if entry.isByVisit {
                        close()
                        identifier = BatchID.random()
                    }
                }
                close()
            }
            progress.advance(by: 1)
        }
        return parcels
    }

    // MARK: Parts

    private static func context(of device: SampleDevice, shopper: Shopper, allowed: Set<String>) -> String {
        let shopping = [("channel", shopper.channel.quotedJSON), ("lifecycle", shopper.lifecycle.quotedJSON)]
        let fields = device.fields + shopping
        return fields.filter { allowed.contains($0.name) }.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",")
    }

    /// The same time of day as in the original; a session that ran past midnight stays on its day.
    private static func time(of step: Step, in session: [Step], on day: UnixSeconds) -> String {
        let start = session.first?.at ?? step.at
        let second = min((start.value % 86_400) + (step.at - start), 86_399)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = [second / 3600, second / 60 % 60, second % 60].map(two).joined(separator: ":")
        return "\(PeriodCalendar.utc.date(at: day))T\(clock)Z"
    }

    /// The shop's file has no amounts: these are made up, skewed as orders are, 5 to 400 EUR.
    private static func amount(_ random: inout SeededGenerator) -> String {
        let share = random.fraction()
        let cents = Int(500 + 39_500 * share * share * share)
        return "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }

    private static func lines(of path: String) throws -> [String] {
        guard let packed = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(path): there is no such file. --crowd takes the folder with the sample's data.")
        }
        let bytes = try packed.withUnsafeBytes { buffer in
            try Gzip.unpacked(buffer.bindMemory(to: UInt8.self), limit: 256 << 20)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func shoppers(in lines: [String]) throws -> [Shopper] {
        let names = (lines.first ?? "").split(separator: ",").map(String.init)
        let columns = ["user_id", "session_id", "event", "timestamp", "acquisition_channel", "user_lifecycle"]
            .map { names.firstIndex(of: $0) }
        guard !columns.contains(nil) else { throw CommandFailure("shop.csv.gz lacks one of its columns.") }
        let places = columns.compactMap { $0 }
        var order: [String] = []
        var shoppers: [String: Shopper] = [:]
        var lastSession = ""
        for line in lines.dropFirst() {
            let values = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard values.count == names.count, let at = instant(values[places[3]]) else {
                throw CommandFailure("shop.csv.gz has a line that does not fit its header.")
            }
            let user = values[places[0]]
            if shoppers[user] == nil { order.append(user) }
            let step = Step(event: values[places[2]], at: at)
            let isNewSession = values[places[1]] != lastSession
            lastSession = values[places[1]]
            shoppers[user, default: Shopper()].channel = values[places[4]]
            shoppers[user]?.lifecycle = values[places[5]]
            shoppers[user]?.add(step, opensSession: isNewSession)
        }
        return order.compactMap { shoppers[$0] }
    }

    /// "2024-03-13 10:21:14" in UTC.
    private static func instant(_ text: String) -> UnixSeconds? {
        let halves = text.split(separator: " ")
        guard halves.count == 2, let date = CalendarDate(halves[0]) else { return nil }
        let clock = halves[1].split(separator: ":").compactMap { Int64($0) }
        guard clock.count == 3 else { return nil }
        return UnixSeconds(date.daysSince1970 * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2])
    }
}

extension Crowd {
    /// Devices that are the only one in their combination of buckets, over every dimension of the plan that tells
    /// something about a device.
    func uniqueBucketed(plan: Plan) throws -> (unique: Int, dimensions: [DimensionName]) {
        let known: Set<FieldName> = ["user_agent", "screen", "memory_gb", "cores"]
        let dimensions = plan.dimensions.filter { known.contains($0.field) }
        let bucketings = try dimensions.map { (field: $0.field.text, bucketing: try $0.rule.compiled(rules: .system)) }
        var seen: [[Int]: Int] = [:]
        for device in devices {
            seen[bucketings.map { bucket(of: device, field: $0.field, $0.bucketing) }, default: 0] += 1
        }
        return (seen.values.count { $0 == 1 }, dimensions.map(\.name))
    }

    private func bucket(of device: SampleDevice, field: String, _ bucketing: any Bucketing) -> Int {
        switch field {
        case "user_agent": bucket(device.userAgent, bucketing)
        case "screen": bucket(device.screen, bucketing)
        case "memory_gb": bucketing.bucket(device.memory.map { .number($0) } ?? .missing)
        default: bucketing.bucket(device.cores.map { .integer($0) } ?? .missing)
        }
    }

    private func bucket(_ text: String?, _ bucketing: any Bucketing) -> Int {
        guard var text else { return bucketing.bucket(.missing) }
        return text.withUTF8 { bucketing.bucket(.text(FieldText($0))) }
    }
}

extension Plan {
    /// Purposes of which a metric counts what identifiers did within their window: known when that is over.
    var purposesWithin: [Purpose] {
        let names = Set(metrics.filter { $0.within != nil }.map(\.purpose))
        return purposes.filter { names.contains($0.name) }
    }

    /// Purposes of which every metric counts events as they come.
    var purposesAtOnce: [Purpose] {
        let later = Set(purposesWithin.map(\.name))
        return purposes.filter { !later.contains($0.name) }
    }
}
