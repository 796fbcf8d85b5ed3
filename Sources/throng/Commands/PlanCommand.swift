import ArgumentParser
import ThrongCrowd
import ThrongJournal
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongSystem

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Writes a plan, checks it, says what it means.",
        discussion: """
            EXAMPLES
              throng plan new
              throng plan check plan.yaml
            """,
        subcommands: [
            PlanNewCommand.self, PlanCheckCommand.self, PlanDiffCommand.self, PlanApplyCommand.self,
            PlanLabelCommand.self,
        ])
}

struct PlanCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Says what is wrong with a plan, and what could be better.",
        usage: "throng plan check <file> [<options>]",
        discussion: """
            Problems go to standard output as file:line:column: message, and it ends with 2; advice, margins and the first \
            reports' dates go to standard error. --simulate says how well a crowd's devices hide, and what each grouping \
            would show; --data, or --database, what bounds cut as released frequencies tell.

            --suggest prints groupings that show nine tenths of a metric's events: paste them into the plan as its margins, \
            but for what nobody reads.

            EXAMPLES
              throng plan check plan.yaml
              throng plan check plan.yaml --simulate --audience 500 --days 2
              throng plan check plan.yaml --data ./data
            """)

    @Argument(help: "The plan's file.") var file: String
    @Flag(help: "Tries it on a crowd; for operators only.") var simulate = false
    @Flag(help: "Proposes groupings that publish; for operators only.") var suggest = false
    @OptionGroup(title: "Crowd, with --simulate or --suggest") var crowd: CrowdOptions
    @Option(help: ArgumentHelp("Reads releases of a data directory's PostgreSQL.", valueName: "dir")) var data: String?
    @Option(help: ArgumentHelp("Reads those of a PostgreSQL of yours.", valueName: "url")) var database: String?
    @Flag(help: "Prints what it finds as JSON.") var json = false

    private struct Findings: Encodable {
        let problems: [PlanProblem]
        let advice: [PlanProblem]
        let margins: [String]?
        let first: [String]?
        let forecast: Forecast?
        let bounds: [ReleasedBound]?
    }

    func validate() throws {
        guard !simulate || !suggest else { throw ValidationError("Name --simulate or --suggest, not both.") }
        guard !suggest || data == nil && database == nil else {
            throw ValidationError("--suggest reads no releases; leave --data and --database out.")
        }
    }

    func run() async throws {
        if suggest { return try proposeGroupings() }
        var problems: [PlanProblem] = []
        var advice: [PlanProblem] = []
        var plan: Plan?
        var margins: [String] = []
        var forecast: Forecast?
        var bounds: [ReleasedBound]?
        do {
            let read = try PlanFiles.read(file)
            problems = read.expired()
            advice = read.lint(rules: .system)
            margins = read.marginLines().map(\.text)
            plan = read
            if simulate { forecast = try crowd.tried(read) { try Forecast(of: read, crowd: $0, $1, progress: $2) } }
            if data != nil || database != nil { bounds = try await releasedBounds(of: read, now: UnixClock.system.now) }
        } catch let found as PlanProblems { problems = found.all }
        if json {
            try Terminal.json(
                Findings(
                    problems: problems, advice: advice, margins: margins.isEmpty ? nil : margins,
                    first: plan?.firstLines(now: UnixClock.system.now), forecast: forecast, bounds: bounds))
        } else {
            for problem in problems { Terminal.data(problem.description) }
            for piece in advice { Terminal.talk("advice: \(piece.description)") }
            if !margins.isEmpty {
                Terminal.talk("margins: in 19 of 20 cases a number is off by no more than this, however large it is")
            }
            for margin in margins { Terminal.talk("margin: \(margin)") }
            for line in plan?.firstLines(now: UnixClock.system.now) ?? [] { Terminal.talk("first: \(line)") }
            for line in forecast?.lines ?? [] { Terminal.data(line) }
            for line in bounds.map(Self.lines) ?? [] { Terminal.talk("bound: \(line)") }
            if let plan, problems.isEmpty {
                Terminal.talk(
                    "\(file) is valid: \(Terminal.count(plan.metrics.count, "metric")), "
                        + "\(Terminal.count(plan.dimensions.count + plan.derivedDimensions.count, "dimension")), "
                        + "\(Terminal.count(plan.reports.count, "report")), k = \(plan.app.threshold.devices).")
            }
        }
        if !problems.isEmpty { throw ExitCode(2) }
    }

    /// Reads the last releases of each frequency that tells what another metric's bound cuts, as a release of today will.
    func releasedBounds(of plan: Plan, now: UnixSeconds) async throws -> [ReleasedBound] {
        let telling = try plan.metrics.compactMap { try TellingPeriods($0, at: now, of: plan, rules: .system) }
        var place = Place()
        (place.data, place.database) = (data, database)
        guard !telling.isEmpty else { return [] }
        return try await DatabaseAccess.releases(place) { store in
            var found: [ReleasedBound] = []
            for periods in telling { found.append(try await periods.bound(in: store)) }
            return found
        }
    }

    /// A line a bound, or what would tell of any.
    static func lines(_ bounds: [ReleasedBound]) -> [String] {
        bounds.isEmpty
            ? ["nothing tells what bounds cut; a `frequency` of the same events and purpose would."]
            : bounds.map(\.line)
    }

    private func proposeGroupings() throws {
        let plan = try PlanFiles.sayingProblems { try PlanFiles.read(file) }
        let advice = try crowd.tried(plan) { try GroupingAdvice.all(of: plan, crowd: $0, $1, progress: $2) }
        guard !advice.isEmpty else {
            throw CommandFailure(
                "The crowd has no event of \(file)'s metrics; leave --crowd out, and one is made up from the plan.")
        }
        if json { return try Terminal.json(advice) }
        for line in advice.yaml { Terminal.data(line) }
    }
}

struct PlanLabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label",
        abstract: "Prints a plan's public privacy label, its record of processing, or an impact assessment.",
        discussion: """
            The label is in plain language, for a privacy policy.

            The record is for the house and its supervisory authority, in the order of Article 30(1) GDPR; --dpia drafts an impact \
            assessment in that of Article 35(7): need, description, necessity, risks, measures and what is left of risks. Points that \
            no plan settles are marked "To decide", or listed at the end. Both are in English; the same plan makes the same bytes.

            EXAMPLES
              throng plan label plan.yaml --language de
              throng plan label plan.yaml --dpia
            """)

    @Argument(help: "The plan's file.") var file: String

    @Option(help: "Takes the plan's texts in this language, such as de, where they are there in several.")
    var language: String?

    @Flag(help: "Writes the record of processing instead, as Markdown.") var record = false
    @Flag(help: "Drafts a data protection impact assessment instead, as Markdown.") var dpia = false
    @Flag(help: "With --record: writes it as JSON.") var json = false

    func validate() throws {
        guard record || !json else { throw ValidationError("--json goes with --record.") }
        guard !record || !dpia else { throw ValidationError("Name --record or --dpia, not both.") }
        guard !record && !dpia || language == nil else { throw ValidationError("--language is for the label.") }
    }

    func run() async throws {
        if record { return try writeRecord() }
        let plan = try PlanFiles.read(file)
        if dpia { return Terminal.data(ImpactAssessment(of: plan).markdown) }
        guard let language else {
            let own = plan.labelLanguage(for: [])
            return Terminal.data(plan.privacyLabel(today: .today, in: Language(for: [own].compactMap { $0 })))
        }
        guard let tag = LanguageTag(language) else {
            throw ValidationError("'\(language)' is no language tag; a tag of BCP 47 is allowed, such as de or pt-BR.")
        }
        guard let best = LanguageTag.best(of: plan.labelLanguages, for: [tag]) else {
            let known = plan.labelLanguages.map(\.text).joined(separator: ", ")
            throw ValidationError(
                known.isEmpty
                    ? "There is no language in which all of the plan's texts are; leave --language out, or complete one."
                    : "The plan's texts are not all there in '\(tag)'; it has \(known).")
        }
        Terminal.data(plan.translated(into: best).privacyLabel(today: .today, in: Language(for: [best])))
    }

    private func writeRecord() throws {
        let written = try PlanFiles.sayingProblems { ProcessingRecord(of: try PlanFiles.read(file)) }
        if json { return Terminal.data(String(decoding: try written.json(), as: UTF8.self)) }
        Terminal.data(written.markdown)
    }
}

struct PlanDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Says what a new plan does in a former one's place.",
        discussion: """
            One line a change, those that ask for most first:

              unasked   people agreed to less than this, and clients go on counting them: raise consent_version
              asks      people agreed to less than this, or to nothing yet: they are asked
              widens    more is counted, kept, published or handed on than people were told
              splits    counters start anew; the period under way is released in two parts
              tightens  less is
              runs      the house works otherwise
              words     words only

            With --running NEW alone is given, and compared with the plan that the daemon of --data counts by.

            It ends with 3 where a period is split, with 4 where something widens, or people are to be asked, or are not.

            EXAMPLES
              throng plan diff before.yaml plan.yaml
              throng plan diff --running plan.yaml --data ./data
            """)

    @Argument(help: ArgumentHelp("The plan before, unless --running, and the plan after.", valueName: "plan"))
    var files: [String]

    @Flag(help: "Compares with the plan that the daemon counts by, or counted by last.") var running = false

    @Option(
        help: ArgumentHelp("With --running: the data directory (default: \(Place.standardData)).", valueName: "dir"))
    var data: String?

    @Flag(help: "Prints the changes as JSON.") var json = false

    func validate() throws {
        guard files.count == (running ? 1 : 2) else {
            throw ValidationError(
                running
                    ? "With --running name one plan: the one after."
                    : "Name two plans: the one before, and the one after.")
        }
    }

    func run() throws {
        let diff = try PlanFiles.sayingProblems {
            let after = try PlanFiles.read(files[files.count - 1])
            let before =
                running
                ? try PlanApplyCommand.running(after.app.name, at: Place.absolute(data ?? Place.standardData)).plan
                : try PlanFiles.read(files[0])
            guard before.app.name == after.app.name else {
                throw CommandFailure(
                    "\(files[0]) is of the app \(before.app.name), \(files[1]) of \(after.app.name): counters of two apps have "
                        + "nothing to do with each other. Keep the name, or see it as a new app.")
            }
            return try PlanDiff(from: before, to: after, rules: .system)
        }
        if json { try Terminal.json(diff.changes) } else { Self.say(diff) }
        if let code = Self.exitCode(of: diff) { throw code }
    }

    /// A line a change.
    static func say(_ diff: PlanDiff) {
        let width = PlanChange.Kind.allCases.map(\.rawValue.count).max() ?? 0
        for change in diff.changes {
            let kind = change.kind.rawValue.padded(to: width)
            Terminal.data("\(kind)  \(change.subject): \(change.meaning)")
        }
        if diff.changes.isEmpty { Terminal.talk("The plans say the same.") }
    }

    /// Returns the exit code for what somebody has to agree to; nil where there is nothing.
    static func exitCode(of diff: PlanDiff) -> ExitCode? {
        if !diff.kinds.isDisjoint(with: [.unasked, .asks, .widens]) { return ExitCode(4) }
        return diff.kinds.contains(.splits) ? ExitCode(3) : nil
    }
}

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
    func made(for plan: Plan, events: String? = nil) throws -> Crowd {
        if let crowd { return try Crowd(folder: crowd) }
        return try Crowd(
            of: plan, devices: try devices.map { try SampleDevice.all(in: $0) } ?? [],
            shares: try shares.map { try CrowdShares(file: $0, for: plan) } ?? CrowdShares(), events: events)
    }
}

/// The crowd that a plan is tried on.
struct CrowdOptions: ParsableArguments {
    @OptionGroup var source: CrowdSource

    @Option(help: ArgumentHelp("Recorded events, as `throng replay` posts them.", valueName: "file"))
    var events: String?

    @Option(help: ArgumentHelp("Devices a day (default: as recorded, or the audience).", valueName: "devices"))
    var audience: Int?

    @Option(help: "Days, each with a crowd of its own.") var days = 7
    @Option(help: "The same seed, the same crowd.") var seed: UInt64 = 20_261_121
    @Flag(help: "All post within one window.") var atOnce = false

    func validate() throws {
        guard 1...60 ~= days else { throw ValidationError("--days takes 1 to 60.") }
        guard events == nil || source.crowd == nil && source.devices == nil else {
            throw ValidationError("--events brings devices of its own; leave --crowd and --devices out.")
        }
        if let audience, audience < 1 { throw ValidationError("--audience takes at least 1.") }
    }

    func tried<Found>(
        _ plan: Plan, _ work: (Crowd, Forecast.Terms, _ progress: @escaping () -> Void) throws -> Found
    ) throws -> Found {
        let crowd = try source.made(for: plan, events: events)
        let wanted = audience ?? crowd.recordedDevices ?? plan.app.audience
        let devices = min(wanted, Forecast.most)
        if devices < wanted {
            Terminal.talk("Of \(Terminal.grouped(wanted)) devices \(Terminal.grouped(devices)) come: that is enough.")
        }
        let terms = Forecast.Terms(devices: devices, days: days, isAtOnce: atOnce, seed: seed)
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
