import Foundation
import Testing
import ThrongCrowd
import ThrongPlan
import ThrongRelease

@Suite("A crowd that is made up from a plan has all of it")
struct MadeCrowdTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    /// Plans of several fields.
    static let plans = [
        "Deploy/sample/shop.yaml", "Deploy/sample/web/webshop.yaml", "Deploy/sample/notes/notes.yaml",
        "Deploy/sizes/one-app/plan.yaml", "Deploy/sizes/publisher/plan.yaml", "Deploy/sizes/one-site/plan.yaml",
        "Lab/throng-lab/Conform/Plan/conform.yaml", "Tests/Benchmarks/plan.yaml",
        "Tests/EndToEndTests/Programs/Support/podcast.yaml", "Tests/EndToEndTests/Programs/Counting/crowd.yaml",
    ]

    private static func plan(_ path: String) throws -> Plan {
        // Programs fill in what depends on the day.
        let soon = CalendarDate(daysSince1970: CalendarDate.today.daysSince1970 + 100)
        let yaml = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            .replacing("EXPIRES", with: "\(soon)").replacing("ROTATION_DAY", with: "1 day")
            .replacing("ROTATION_QUARTER", with: "15 minutes").replacing("ROTATION_HOUR", with: "1 hour")
        return try Plan(yaml: yaml, file: path)
    }

    private static let rules: [BucketingRule] = [
        .list([BucketGroup(label: "News", values: ["news", "daily"]), BucketGroup(label: "Music", values: ["music"])]),
        .bands(edges: [-5, 0.5, 0.75, 10]), .bands(edges: [1]), .bands(edges: [0.001, 0.002]),
        .significantFigures(digits: 1, lowest: 1, highest: 1000),
        .significantFigures(digits: 2, lowest: 0.01, highest: 50),
        .powers(base: 2, lowestExponent: -3, highestExponent: 9),
        .version(level: .major, known: ["5", "17"]), .version(level: .minor, known: ["5.0", "17.4"]),
        .screen(mediumFrom: 600, largeFrom: 1024), .screen(mediumFrom: 3, largeFrom: 5), .browser(families: []),
        .operatingSystem(families: []), .deviceClass, .language(known: ["en", "de", "he", "gsw"]),
        .utcOffset(bandHours: 3), .utcOffset(bandHours: 24), .region(BucketingRule.unRegions),
        .host(known: ["www.example.org", "example.com"]),
        .route(templates: ["/", "/show/:id", "/show/:id/episode/:number", "/docs/*"]), .fileType,
        .time(part: .hour, timeZone: "UTC"),
    ]

    @Test("every value that is made up for a bucket lands in it, for every kind of bucketing", arguments: rules)
    func values(_ rule: BucketingRule) throws {
        let bucketing = try rule.compiled(rules: .system)
        let values = try rule.madeValues(rules: .system)
        #expect(values.count == bucketing.labels.count)
        for (bucket, values) in values.enumerated() {
            #expect(!values.isEmpty, "\(bucketing.labels[bucket])")
            for value in values { #expect(value.bucket(by: bucketing) == bucket, "\(value)") }
        }
        // Values are what clients send, not what counters are called.
        guard case .time = rule else {
            let labels = Set(bucketing.labels.map { MadeValue.text($0.text) })
            #expect(values.contains { $0.contains { !labels.contains($0) } })
            return
        }
    }

    @Test("the same holds for every dimension of the plans that are here", arguments: plans)
    func dimensions(_ path: String) throws {
        let plan = try Self.plan(path)
        for dimension in plan.dimensions where !dimension.isRevealed {
            let bucketing = try dimension.rule.compiled(rules: .system)
            for (bucket, values) in try dimension.rule.madeValues(rules: .system).enumerated() {
                #expect(!values.isEmpty, "\(dimension.name): \(bucketing.labels[bucket])")
                for value in values { #expect(value.bucket(by: bucketing) == bucket, "\(dimension.name): \(value)") }
            }
        }
    }

    /// The cells of a plan's metrics on a day, as a daemon counts them.
    private static func counted(_ plan: Plan, _ crowd: Crowd, devices: Int) throws -> CountedDay {
        let day = PeriodCalendar.utc.period(.day, containing: UnixSeconds(1_795_046_400))
        return try DayCounter(plan).count { take in
            try crowd.forEachParcel(
                plan: plan, purposes: plan.purposes, day: day.start, posting: .asItHappens, devices: devices, seed: 3,
                take)
        }
    }

    @Test(
        "every metric is counted, and every bucket of its dimensions but what only identifiers fill",
        arguments: ["Deploy/sample/shop.yaml", "Tests/EndToEndTests/Programs/Support/podcast.yaml"])
    func everything(_ path: String) throws {
        let plan = try Self.plan(path)
        let day = try Self.counted(plan, Crowd(of: plan), devices: 4000)
        #expect(Set(day.cubes.map(\.layout.metric)) == Set(plan.metrics.map(\.name)))
        for metric in plan.metrics {
            let cubes = day.cubes.filter { $0.layout.metric == metric.name }
            let layout = try #require(cubes.first?.layout)
            for (place, dimension) in layout.dimensions.enumerated() where layout.leaf.keeps(place) {
                // Names of events are those of the metric, and what is within a window depends on what came before.
                guard plan.dimension(dimension.name)?.field != .event, metric.within?.name != dimension.name else {
                    continue
                }
                let one = Margin(keeping: [place])
                let project = layout.projection(from: layout.leaf, to: one)
                let seen = Set(cubes.flatMap { $0.counters.map { project($0.cell) } })
                let hasOther = dimension.labels.last == .other
                // Every hour, number and time has a bucket; nothing is left over for `other` there.
                let least = dimension.labels.count - (hasOther ? 1 : 0)
                #expect(seen.count >= least, "\(metric.name) by \(dimension.name): \(seen.count) of \(least)")
            }
        }
    }

    @Test("some devices refuse, and what they refuse is not counted")
    func refusals() throws {
        let plan = try Self.plan("Tests/EndToEndTests/Programs/Support/podcast.yaml")
        let crowd = try Crowd(of: plan)
        var senders: [PurposeName: Set<Int>] = [:]
        var refusing: Set<Int> = []
        for purpose in plan.purposes {
            crowd.forEachParcel(
                plan: plan, purposes: [purpose], day: UnixSeconds(1_795_046_400), posting: .asItHappens, devices: 2000,
                seed: 3
            ) { parcel, _ in
                senders[purpose.name, default: []].insert(parcel.device)
                if !parcel.signals.isEmpty { refusing.insert(parcel.device) }
            }
        }
        #expect((20...400).contains(refusing.count))
        #expect(Double(senders["sponsors", default: []].count) < 0.9 * Double(senders["product", default: []].count))
        let sponsors = try Self.counted(plan, crowd, devices: 2000).sent["messages", default: [:]].values.reduce(0, +)
        #expect(sponsors > 0)
    }

    @Test("the same seed makes the same crowd up, another one another")
    func seeds() throws {
        let plan = try Self.plan("Deploy/sample/shop.yaml")
        let crowd = try Crowd(of: plan)
        func fields(_ seed: UInt64) -> [String] {
            crowd.visitors(300, seed: seed).map { $0.fields.map { "\($0.name)=\($0.json)" }.joined() }
        }
        #expect(fields(1) == fields(1))
        #expect(fields(1) != fields(2))
    }

    @Test("a plan of another field than a shop's gets a forecast that is neither all nor nothing")
    func forecast() throws {
        let plan = try Self.plan("Tests/EndToEndTests/Programs/Support/podcast.yaml")
        let terms = Forecast.Terms(devices: plan.app.audience, days: 1, seed: 1)
        let forecast = try Forecast(of: plan, crowd: Crowd(of: plan), terms)
        for metric in forecast.metrics { #expect(!metric.groupings.isEmpty, "\(metric.metric)") }
        let genres = try #require(
            forecast.metrics.first { $0.metric == "plays" }?.groupings.first { $0.dimensions == ["genre"] })
        #expect(genres.numbers >= 4)
        #expect(genres.shown > 0.8)
        let system = try #require(forecast.crowding.first?.dimensions.first { $0.dimension == "system" })
        #expect(system.bits > 1)
    }

    @Test("real devices replace those that are made up, and known shares what would have been")
    func taught() throws {
        let plan = try Self.plan("Tests/EndToEndTests/Programs/Support/podcast.yaml")
        let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
        let device = try SampleDevice(line: "{\"user_agent\": \"\(agent)\"}")
        let real = try Crowd(of: plan, devices: [device]).visitors(50, seed: 1)
        #expect(real.allSatisfy { $0.fields.contains { $0.name == "user_agent" && $0.json == agent.quotedJSON } })

        let file = FileManager.default.temporaryDirectory.appending(path: "shares-\(UUID()).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        try "dimension,bucket,share\nlanguage,de,99\nlanguage,en,1\nlanguage,fr,0\nlanguage,other,0\n"
            .write(to: file, atomically: true, encoding: .utf8)
        let crowd = try Crowd(of: plan, shares: CrowdShares(file: file.path, for: plan))
        let german = crowd.visitors(400, seed: 1).count { $0.fields.contains { $0.json == "\"de-DE\"" } }
        #expect(german > 370)
        // One share says what it says, and the buckets without a line divide the rest.
        try "dimension,bucket,share\nlanguage,fr,0.4\nsystem,Linux,0.6\n"
            .write(to: file, atomically: true, encoding: .utf8)
        let visitors = try Crowd(of: plan, shares: CrowdShares(file: file.path, for: plan)).visitors(1000, seed: 1)
        for (field, word, share) in [("language", "fr-FR", 0.4), ("user_agent", "Linux x86_64", 0.6)] {
            let found = visitors.count { $0.fields.contains { $0.name == field && $0.json.contains(word) } }
            #expect(abs(Double(found) / 1000 - share) < 0.05, "\(field)")
        }
        let lines = [
            "language,klingon,1", "devices,play_ended,1.5", "events,play_ended,0", "consent,product,1",
            "devices,joke,1",
        ]
        for line in lines {
            try "dimension,bucket,share\n\(line)\n".write(to: file, atomically: true, encoding: .utf8)
            #expect(throws: CrowdError.malformedShare(file: file.path, line: 2)) {
                try CrowdShares(file: file.path, for: plan)
            }
        }
    }

    @Test("as many devices send an event, as often, and agree as somebody says in a file from a spreadsheet")
    func toldEvents() throws {
        let plan = try Self.plan("Tests/EndToEndTests/Programs/Support/podcast.yaml")
        let file = FileManager.default.temporaryDirectory.appending(path: "shares-\(UUID()).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        let lines = [
            "dimension,bucket,share", "devices,play_ended,0.1", "events,play_ended,3", "devices,message_heard,1",
            "consent,sponsors,0.2",
        ]
        try lines.joined(separator: "\r\n").write(to: file, atomically: true, encoding: .utf8)
        let crowd = try Crowd(of: plan, shares: CrowdShares(file: file.path, for: plan))
        #expect(Set(crowd.guessedEvents) == ["play_started", "play_resumed", "screen_seen"])
        let sent = try Self.counted(plan, crowd, devices: 4000).sent
        // Some hand events in late, under another identifier, and some refuse.
        func devices(_ metric: MetricName) -> Int { sent[metric, default: [:]].values.reduce(0, +) }
        #expect((300...520).contains(devices("endings")))
        let endings = sent["endings", default: [:]].reduce(0) { $0 + Int($1.key) * $1.value }
        #expect((2.0...4.0).contains(Double(endings) / Double(devices("endings"))))
        // A device of hourly identifiers may be several.
        #expect((500...1500).contains(devices("messages")))
    }

    @Test("visits begin at the hours that somebody tells")
    func toldHours() throws {
        let plan = try Self.plan("Tests/EndToEndTests/Programs/Support/podcast.yaml")
        let file = FileManager.default.temporaryDirectory.appending(path: "shares-\(UUID()).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        try "dimension,bucket,share\nhours,7,3\nhours,20,1\n".write(to: file, atomically: true, encoding: .utf8)
        let crowd = try Crowd(of: plan, shares: CrowdShares(file: file.path, for: plan))
        var begun: [Substring: Int] = [:]
        crowd.forEachParcel(
            plan: plan, purposes: [plan.purposes[0]], day: UnixSeconds(1_795_046_400), posting: .asItHappens,
            devices: 2000, seed: 3
        ) { parcel, _ in
            if let hour = parcel.body.firstMatch(of: /"at":"[^T]*T([0-9]{2}):/)?.1 { begun[hour, default: 0] += 1 }
        }
        #expect(Set(begun.keys) == ["07", "20"])
        #expect((0.68...0.82).contains(Double(begun["07", default: 0]) / Double(begun.values.reduce(0, +))))
        for line in ["hours,24,1", "hours,07,1", "hours,7,-1"] {
            try "dimension,bucket,share\n\(line)\n".write(to: file, atomically: true, encoding: .utf8)
            #expect(throws: CrowdError.malformedShare(file: file.path, line: 2)) {
                try CrowdShares(file: file.path, for: plan)
            }
        }
    }

    @Test("recorded devices come with the fields that went together, at their times; no line is passed over")
    func recorded() throws {
        let plan = try Self.plan("Tests/EndToEndTests/Programs/Support/podcast.yaml")
        let file = FileManager.default.temporaryDirectory.appending(path: "events-\(UUID()).ndjson")
        defer { try? FileManager.default.removeItem(at: file) }
        func line(_ device: Int, language: String, genre: String, at: String) -> String {
            #"{"event":"play_started","at":"2026-11-21T\#(at)","device":"\#(device)","#
                + #""fields":{"genre":"\#(genre)"},"context":{"language":"\#(language)"},"count":2}"#
        }
        let lines = (0..<200).map { device in
            device % 2 == 0
                ? line(device, language: "de", genre: "News", at: "07:10:00.5Z")
                : line(device, language: "fr", genre: "Music", at: "22:10:00+02:00")
        }
        try lines.joined(separator: "\r\n").write(to: file, atomically: true, encoding: .utf8)
        let crowd = try Crowd(of: plan, events: file.path)
        #expect(crowd.guessedEvents.isEmpty && crowd.visitors(500, seed: 1).count == 200)
        var bodies: [String] = []
        crowd.forEachParcel(
            plan: plan, purposes: [plan.purposes[0]], day: UnixSeconds(1_795_046_400), posting: .asItHappens,
            devices: 1000, seed: 3
        ) { parcel, _ in
            #expect(parcel.events == 2)
            bodies.append(parcel.body)
        }
        #expect(bodies.count == 1000 && (350...650).contains(bodies.count { $0.contains("T07:10:00Z") }))
        for (language, genre, time) in [("de", "News", "T07:10:00Z"), ("fr", "Music", "T20:10:00Z")] {
            let those = bodies.filter { $0.contains("\"language\":\"\(language)\"") }
            #expect(those.allSatisfy { $0.contains("\"genre\":\"\(genre)\"") && $0.contains(time) })
        }
        for wrong in ["{}", "no JSON", #"{"event":"play_started","at":"yesterday","device":"a"}"#, #"{"events":[]}"#] {
            try (lines[0] + "\n" + wrong).write(to: file, atomically: true, encoding: .utf8)
            #expect(throws: CrowdError.malformedEvent(file: file.path, line: 2)) {
                try Crowd(of: plan, events: file.path)
            }
        }
    }

    /// A plan without identifiers, whose metrics have more of each.
    private static func desk(_ calls: String) throws -> Plan {
        try Plan(
            yaml: """
                app: {name: calls, title: Calls, owner: Desk, contact: desk@example.org, audience: 20, threshold: 20}
                purposes: {desk: {explanation: To staff it., consent: not_required, identifier: none, retention: 90 days}}
                metrics:
                  calls: {title: Calls, events: [called], question: How many?, decision: Staff., owner: Desk,
                    expires: \(CalendarDate(daysSince1970: CalendarDate.today.daysSince1970 + 100)), purpose: desk, \(calls)}
                """, file: "calls.yaml")
    }

    /// A crowd that is taught by lines of a file.
    private static func taught(_ plan: Plan, shares: String = "", events: [String] = []) throws -> Crowd {
        let file = FileManager.default.temporaryDirectory.appending(path: "taught-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try (events.isEmpty ? "dimension,bucket,share\n\(shares)" : events.joined(separator: "\n"))
            .write(to: file, atomically: true, encoding: .utf8)
        return events.isEmpty
            ? try Crowd(of: plan, shares: CrowdShares(file: file.path, for: plan))
            : try Crowd(of: plan, events: file.path)
    }

    @Test("a week and a rollup have seven days, however few are forecast: without identifiers k counts their events")
    func weeks() throws {
        func groupings(_ period: String, _ days: Int) throws -> [(period: PeriodKind, reached: Int, shown: Double)] {
            let plan = try Self.desk(period)
            let crowd = try Self.taught(plan, shares: "devices,called,0.5\nevents,called,1\n")
            return try Forecast(of: plan, crowd: crowd, Forecast.Terms(devices: 20, days: days, seed: 1)).metrics.map {
                ($0.period, $0.groupings[0].reached, $0.groupings[0].shown)
            }
        }
        // Some ten calls a day. A rollup has the noise of all of its days, kept layers and all: some 74 more than k.
        for days in [1, 7, 9] {
            let rolled = try groupings("period: day, rollups: [week]", days)
            #expect(rolled.map(\.period) == [.day, .week] && rolled.map(\.reached) == [0, 1])
            #expect(rolled[0].shown == 0 && rolled[1].shown < 1)
            let own = try groupings("period: week", days)
            #expect(own.map(\.period) == [.week] && own.map(\.reached) == [1] && own[0].shown > 0.9)
        }
    }

    @Test("each weekday has its own devices where a week was recorded, and as many of them; shares tell how many, too")
    func weekdays() throws {
        let plan = try Self.desk("period: day")
        // A Monday, up to Saturday a week later; nobody comes on Sundays, and a tenth on Saturdays.
        let lines = (0..<13).filter { $0 != 6 }.flatMap { day in
            (0..<(day % 7 == 5 ? 10 : 100)).map { device in
                #"{"event":"called","at":"2026-11-\#(day + 2 < 10 ? "0" : "")\#(day + 2)T1\#(day % 7):00:00Z","device":"\#(device)"}"#
            }
        }
        let monday = UnixSeconds(1_795_996_800)
        func devices(_ crowd: Crowd) -> [Int] { (0..<7).map { crowd.devices(700, on: monday + $0 * 86_400) } }
        let recorded = try Self.taught(plan, events: lines)
        let usual = devices(recorded)[0]
        #expect(try recorded.recordedDevices == 1020 / 13 && Crowd(of: plan).recordedDevices == nil)
        #expect(devices(recorded) == [usual, usual, usual, usual, usual, usual / 10, 0] && (950...970).contains(usual))
        for day in 0..<6 {
            recorded.forEachParcel(
                plan: plan, purposes: plan.purposes, day: monday + Int64(day) * 86_400, posting: .asItHappens,
                devices: 20, seed: 1
            ) { parcel, _ in #expect(parcel.body.contains("T1\(day):00:00Z")) }
        }
        // Of less than a week nobody knows.
        #expect(devices(try Self.taught(plan, events: Array(lines.prefix(510)))) == Array(repeating: 700, count: 7))
        let told = devices(try Self.taught(plan, shares: "weekdays,Sat,0.5\nweekdays,Sun,0\n"))
        #expect(told[0] == told[4] && told[5] == told[0] / 2 && told[6] == 0 && abs(told.reduce(0, +) - 4900) < 7)
        for line in ["weekdays,Saturday,1", "weekdays,Sat,-1", "weekdays,6,1"] {
            #expect(throws: CrowdError.self) { try Self.taught(plan, shares: line) }
        }
    }

    @Test("a recorded day goes from the app's own midnight to the next, and has its hours")
    func midnights() throws {
        var plan = try Self.desk("period: day")
        plan.app.timeZone = "America/New_York"
        let lines = ["02T18:00", "03T04:30", "04T04:50"].map {
            #"{"event":"called","at":"2026-11-\#($0):00Z","device":"a"}"#
        }
        let crowd = try Self.taught(plan, events: lines)
        var times: Set<Substring> = []
        crowd.forEachParcel(
            plan: plan, purposes: plan.purposes, day: UnixSeconds(1_795_996_800), posting: .asItHappens, devices: 50,
            seed: 1
        ) { parcel, _ in
            times.formUnion(parcel.body.split(separator: "\"at\":\"2026-11-30T").dropFirst().map { $0.prefix(5) })
        }
        // Two of the app's days, of which UTC would make three.
        #expect(crowd.recordedDevices == 1 && times == ["13:00", "23:30", "23:50"])
    }

    @Test("of a sampled metric clients send a share; what is told or recorded is what they send")
    func sampled() throws {
        func calls(_ crowd: (Plan) throws -> Crowd) throws -> Double {
            func counted(_ sampling: String) throws -> Int64 {
                let plan = try Self.desk("period: day, sampling: \(sampling)")
                return try Self.counted(plan, crowd(plan), devices: 2000).cubes.flatMap(\.counters)
                    .reduce(0) { $0 + $1.value }
            }
            return Double(try counted("0.1")) / Double(try counted("1"))
        }
        #expect(abs(try calls { try Crowd(of: $0) } - 0.1) < 0.02)
        #expect(try calls { try Self.taught($0, shares: "devices,called,0.5\n") } == 1)
        let event = #"{"event":"called","at":"2026-11-02T10:00:00Z","device":"a"}"#
        #expect(try calls { try Self.taught($0, events: [event]) } == 1)
    }
}
