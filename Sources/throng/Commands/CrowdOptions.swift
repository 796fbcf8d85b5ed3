import ArgumentParser
import Foundation
import ThrongCrowd
import ThrongPlan
import ThrongSystem

/// The source of a crowd: a plan alone, real devices, known shares, or the sample's shoppers.
struct CrowdSource: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Takes the shoppers of a folder with devices.ndjson.gz and shop.csv.gz, as the sample has, instead of a crowd that is made up from the plan.",
            valueName: "dir"))
    var crowd: String?

    @Option(
        help: ArgumentHelp(
            "Gives the made-up crowd real devices, from a file such as the sample's devices.ndjson.gz.",
            valueName: "file"))
    var devices: String?

    @Option(
        help: ArgumentHelp(
            "Tells the made-up crowd how often buckets come: a CSV of dimension, bucket and share.", valueName: "file"))
    var shares: String?

    func validate() throws {
        guard crowd == nil || devices == nil && shares == nil else {
            throw ValidationError("--devices and --shares go with a crowd that is made up; leave --crowd out.")
        }
    }

    /// Makes the crowd of a plan, or reads it.
    func made(for plan: Plan) throws -> Crowd {
        if let crowd { return try Crowd(folder: crowd) }
        return try Crowd(
            of: plan, devices: try devices.map { try SampleDevice.all(in: $0) } ?? [],
            shares: try shares.map { try CrowdShares(file: $0, for: plan) } ?? CrowdShares())
    }
}

/// The crowd that a plan is tried on.
struct CrowdOptions: ParsableArguments {
    @OptionGroup var source: CrowdSource

    @Option(help: ArgumentHelp("How many devices come on a day (default: the plan's audience).", valueName: "devices"))
    var audience: Int?

    @Option(help: "How many days come, each with a crowd of its own.")
    var days = 7

    @Option(help: "Which crowd: the same seed gives the same one.")
    var seed: UInt64 = 20_261_121

    @Flag(help: "All devices post within one window; otherwise in those of their events.")
    var atOnce = false

    func validate() throws {
        guard 1...60 ~= days else { throw ValidationError("--days takes 1 to 60.") }
        if let audience, audience < 1 { throw ValidationError("--audience takes at least 1.") }
    }

    /// Makes the crowd and tries a plan on it.
    func tried<Found>(
        _ plan: Plan, _ work: (Crowd, Forecast.Terms, _ progress: @escaping () -> Void) throws -> Found
    ) throws -> Found {
        let wanted = audience ?? plan.app.audience
        let devices = min(wanted, Forecast.most)
        if devices < wanted {
            Terminal.talk(
                "Of \(Terminal.grouped(wanted)) devices \(Terminal.grouped(devices)) come: more of them would show no less."
            )
        }
        let terms = Forecast.Terms(devices: devices, days: days, posting: atOnce ? .atOnce : .asItHappens, seed: seed)
        let crowd = try source.made(for: plan)
        if crowd.isMadeUp {
            Terminal.talk("The crowd is made up from the plan: name --devices, --shares or --crowd for a truer one.")
        }
        let bar = ProgressBar("counting days", total: devices * days, unit: "devices")
        defer { bar.finish() }
        return try work(crowd, terms) { bar.advance(by: 1) }
    }
}
