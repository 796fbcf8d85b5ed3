import ArgumentParser
import Foundation
import ThrongCrowd
import ThrongPlan
import ThrongSystem

/// The source of a crowd: a plan alone, real devices, known shares, or the sample's shoppers.
struct CrowdSource: ParsableArguments {
    @Option(help: ArgumentHelp("Shoppers of a folder such as Deploy/sample, not made up.", valueName: "dir"))
    var crowd: String?

    @Option(help: ArgumentHelp("Real devices, as in the sample's devices.ndjson.gz.", valueName: "file"))
    var devices: String?

    @Option(help: ArgumentHelp("A CSV of what is known: see the plan reference.", valueName: "file"))
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

    @Option(help: ArgumentHelp("Devices a day (default: the plan's audience).", valueName: "devices"))
    var audience: Int?

    @Option(help: "Days, each with a crowd of its own.")
    var days = 7

    @Option(help: "The same seed, the same crowd.")
    var seed: UInt64 = 20_261_121

    @Flag(help: "All post within one window.")
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
        if !crowd.guessedEvents.isEmpty {
            Terminal.talk(
                "Guessed from the plan is how many devices send \(crowd.guessedEvents.joined(separator: ", ")): "
                    + "lines such as devices,\(crowd.guessedEvents[0]),0.1 in --shares tell it.")
        }
        let bar = ProgressBar("counting days", total: devices * days, unit: "devices")
        defer { bar.finish() }
        return try work(crowd, terms) { bar.advance(by: 1) }
    }
}
