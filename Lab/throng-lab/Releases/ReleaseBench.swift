import ArgumentParser
internal import Foundation
import ThrongCrowd
import ThrongPlan

/// What `Deploy/bench` runs about releases.
struct ReleaseBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "releases", abstract: "Measures releases, and attacks them.", shouldDisplay: false,
        subcommands: [ReleaseTables.self, NoiseTable.self, SuppressionBench.self, PlanFuzz.self])
}

/// How long a release of a million cells takes, and how much memory.
struct NoiseTable: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "noise", abstract: "Measures a million cells.")

    func run() throws {
        let cube = try CubeTrial.run()
        let seconds = cube.drawing + cube.adding
        var musts = Musts()
        musts.say(
            """
            \(cube.cells) cells, all 8 groupings, two layers: \(Self.rounded(cube.drawing)) s to draw, \
            \(Self.rounded(cube.adding)) s to add up (whole numbers within \(Self.rounded(cube.moved)) of the drawn ones); \
            \(Self.rounded(seconds)) s in all, peak \(cube.peak) MiB
            """, must: "30 s and 1024 MiB", seconds <= 30 && cube.peak <= 1024)
        if musts.missed > 0 { throw ExitCode.failure }
    }

    private static func rounded(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}

/// What releases show, how far off they are, what of it comes and goes, and what must be so.
struct ReleaseTables: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Prints what releases of the samples show, beside what must be so.")

    @Argument(help: "Numbers of devices, or blink [N [DAYS]], or smoke.") var words: [String] = []

    private static let folder = "Deploy/sample"
    /// What decides releases.
    private static let deciding = [
        "Sources/ThrongRelease", "Sources/ThrongNoise", "Sources/ThrongAudit", "Sources/ThrongPlan/Margins",
        "Lab/throng-lab/Suppression",
    ]

    func run() throws {
        let isBlink = words.first == "blink"
        let isSmoke = words.first == "smoke"
        let numbers = words.compactMap { Int($0) }.filter { $0 > 0 }
        let shop = try Shop(plan: Plan(file: Self.folder + "/shop.yaml"), crowd: Crowd(folder: Self.folder))
        var musts = Musts()
        if isBlink {
            try BlinkTable.print(shop, devices: numbers.first ?? 2000, days: numbers.dropFirst().first ?? 30, &musts)
        } else if numbers.isEmpty {
            try Self.printAll(shop, isSmoke: isSmoke, &musts)
        } else {
            try ShownTable(days: 7).print(shop, numbers, &musts)
        }
        print(musts.missed == 0 ? "nothing is missed" : "\(musts.missed) of these must be otherwise")
        // On little, noise alone may miss what must be.
        if musts.missed > 0, !isSmoke { throw ExitCode.failure }
    }

    private static func printAll(_ shop: Shop, isSmoke: Bool, _ musts: inout Musts) throws {
        try ShownTable(days: isSmoke ? 1 : 7).print(shop, isSmoke ? [200] : [300, 500, 2000, 20_000], &musts)
        try BlinkTable.print(shop, devices: isSmoke ? 100 : 2000, days: isSmoke ? 3 : 30, &musts)
        let made = MadeTables(devices: shop.crowd.devices)
        try made.printParts(&musts)
        for file in ["sizes/one-app/plan.yaml", "sizes/one-site/plan.yaml", "sample/notes/notes.yaml"] {
            try made.printSmall(
                Plan(file: "Deploy/" + file), file, isSmoke ? [100] : [300, 500, 2000], days: isSmoke ? 1 : 7, &musts)
        }
        try made.printNews(devices: isSmoke ? 300 : 20_000, &musts)
        try CostTable.print(shop, devices: isSmoke ? 50 : 2000, &musts)
        let lines = try deciding.reduce(0) { try $0 + self.lines(in: $1) }
        print(deciding.joined(separator: " + "))
        musts.say("\(lines) lines of Swift that decide releases", must: "14,000 at most", lines <= 14_000)
        print("elsewhere: attacks, the bank's and the magazine's rows in tests; 10^6 cells by Deploy/bench noise")
    }

    private static func bytes(_ file: String) throws -> Data {
        guard let bytes = FileManager.default.contents(atPath: file) else { throw CrowdError.unreadable(file: file) }
        return bytes
    }

    private static func lines(in folder: String) throws -> Int {
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
        return try files.reduce(0) { lines, file in
            try lines + bytes("\(folder)/\(file)").count { $0 == UInt8(ascii: "\n") }
        }
    }
}

/// The sample's shop, a day at a time.
struct Shop {
    let plan: Plan
    let crowd: Crowd
    private let counter: DayCounter

    init(plan: Plan, crowd: Crowd) throws {
        (self.plan, self.crowd) = (plan, crowd)
        counter = try DayCounter(plan)
    }

    /// A day by its number, from 0.
    static func period(_ number: Int) -> Period {
        PeriodCalendar.utc.period(.day, containing: UnixSeconds(1_795_046_400 + Int64(number) * 86_400))
    }

    /// One day's counters and releases, all days' noise by one secret unless others are given.
    func day(_ number: Int, devices: Int, secret: UInt64 = 20_261_121) throws -> ForecastDay {
        let counted = try counter.count { take in try forEachParcel(number, devices: devices, take) }
        return try ForecastDay(counted, of: plan, seed: secret)
    }

    /// Hands out one day's batches.
    func forEachParcel(_ number: Int, devices: Int, _ take: (Crowd.Parcel, UnixSeconds) throws -> Void) rethrows {
        let day = Self.period(number)
        try crowd.forEachParcel(
            plan: plan, purposes: plan.purposes, day: day.start, posting: .atOnce(day.end + 1), devices: devices,
            seed: 20_261_121 + UInt64(number), take)
    }
}
