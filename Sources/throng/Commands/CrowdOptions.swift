import ArgumentParser
import ThrongCrowd
import ThrongPlan
import ThrongSystem

/// The crowd that a plan is tried on.
struct CrowdOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The crowd's folder, with devices.ndjson.gz and shop.csv.gz as the sample has.", valueName: "dir"))
    var crowd = "Deploy/sample"

    @Option(help: ArgumentHelp("How many devices come on a day (default: the plan's audience).", valueName: "devices"))
    var audience: Int?

    @Option(help: "How many days come, each with a crowd of its own.")
    var days = 7

    @Option(help: "Which crowd: the same seed gives the same one.")
    var seed: UInt64 = 20_261_121

    @Flag(help: "All devices post within one window, as in throng demo; otherwise in those of their events.")
    var atOnce = false

    func validate() throws {
        guard 1...60 ~= days else { throw ValidationError("--days takes 1 to 60.") }
        if let audience, audience < 1 { throw ValidationError("--audience takes at least 1.") }
    }

    /// Reads the crowd and tries a plan on it.
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
        let crowd = try Crowd(folder: crowd)
        let bar = ProgressBar("counting days", total: devices * days, unit: "devices")
        defer { bar.finish() }
        return try work(crowd, terms) { bar.advance(by: 1) }
    }
}
