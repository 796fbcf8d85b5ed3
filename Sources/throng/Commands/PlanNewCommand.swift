import ArgumentParser
import Foundation
import ThrongJournal
import ThrongPlan
import ThrongStore
import ThrongSystem

struct PlanNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Writes a plan to begin with.", usage: "throng plan new [<file>] [<options>]",
        discussion: """
            Asks on a terminal for what no option says. The plan passes `throng plan check` without advice; its examples are \
            marked EDIT. Beside it lies plan.schema.json, by which editors complete it. Standard output has what to put into \
            your page and app, and a request by hand.

            Questions: \(PlanTopic.allCases.map(\.rawValue).joined(separator: ", ")).

            EXAMPLE
              throng plan new --title "My site" --for web --learn pages,sources \\
                --audience 3000 --no-partner --languages en,de
            """)

    @Argument(help: "The file to write, or - for standard output.") var file = "plan.yaml"
    @Option(help: "The app's name, as people know it.") var title: String?
    @Option(name: .customLong("for"), help: "What sends; a backend is an app.") var client: DraftClient?

    @Option(help: ArgumentHelp("Up to three questions, the most important first.", valueName: "questions"))
    var learn: WordList<PlanTopic>?

    @Option(help: "Devices a day, roughly.") var audience: Int?
    @Option(help: ArgumentHelp("Who gets reports.", valueName: "name")) var partner: String?
    @Flag(help: "Nobody gets reports.") var noPartner = false

    @Option(help: ArgumentHelp("Languages of its texts: \(LanguageList.known).", valueName: "languages"))
    var languages: LanguageList?

    func validate() throws {
        guard partner == nil || !noPartner else { throw ValidationError("Name --partner or --no-partner, not both.") }
        if let audience, audience < PlanDraft.smallestAudience {
            throw ValidationError(
                "--audience is \(audience); from \(PlanDraft.smallestAudience) devices a day on numbers can be shown. "
                    + "With fewer, ask people instead, or lower `threshold` in a plan of your own.")
        }
        if let learn, learn.words.count > PlanDraft.mostTopics {
            throw ValidationError("--learn takes up to \(PlanDraft.mostTopics) questions.")
        }
        if let client, let topic = learn?.words.first(where: { !$0.isFor(client) }) {
            let known = PlanTopic.allCases.filter { $0.isFor(client) }.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--for \(client.rawValue) can't answer '\(topic.rawValue)'; it can answer \(known).")
        }
    }

    func run() async throws {
        if file != "-", FileManager.default.fileExists(atPath: file) {
            throw CommandFailure(
                "\(file) is there already; name another file, or check this one: throng plan check \(file)")
        }
        let draft = try self.draft()
        let text = draft.yaml(schema: PlanSchema.fileName)
        let plan = try Plan(yaml: text, file: file)
        guard file != "-" else { return Terminal.data(text.trimmingCharacters(in: .newlines)) }
        try write(text)
        sayWhatIsShown(draft, plan)
        for snippet in draft.snippets {
            Terminal.talk("\n\(snippet.place):\n")
            Terminal.data(snippet.lines.joined(separator: "\n"))
        }
        Terminal.talk(
            """

            Next:
              throng try \(file)             # people who are made up, and a page that shows your own events
              throng plan check \(file)      # again after each edit of lines with EDIT
              throng serve --plan \(file)
            """)
    }

    // MARK: Answers

    private func draft() throws -> PlanDraft {
        let answers = PlanQuestions()
        let client = try self.client ?? answers.client()
        let topics = try learn?.words ?? answers.topics(client)
        guard let topic = topics.first(where: { !$0.isFor(client) }) else {
            return PlanDraft(
                title: try title ?? answers.title(), client: client, topics: topics,
                audience: try audience ?? answers.audience(),
                partner: try noPartner ? nil : partner ?? answers.partner(),
                languages: try languages?.languages ?? answers.languages(), today: .today)
        }
        throw ValidationError("\(client.rawValue) can't answer '\(topic.rawValue)'; name another question by --learn.")
    }

    // MARK: Files

    private func write(_ text: String) throws {
        let folder = (file as NSString).deletingLastPathComponent
        let schema = (folder.isEmpty ? "" : folder + "/") + PlanSchema.fileName
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
            try Data(PlanSchema.bytes).write(to: URL(fileURLWithPath: schema), options: .atomic)
        } catch {
            throw CommandFailure(
                "\(file) can't be written (\(error.localizedDescription)); name a file in a folder of yours.")
        }
    }

    private func sayWhatIsShown(_ draft: PlanDraft, _ plan: Plan) {
        Terminal.talk("\(file) is written. With \(Terminal.grouped(draft.audience)) devices a day it will show:")
        for line in draft.shown { Terminal.talk("  \(line)") }
        for left in draft.leftOut {
            Terminal.talk(
                "  left out: \(left.topic.rawValue), which takes \(Terminal.grouped(left.audience)) devices a day")
        }
        Terminal.talk("\nNumbers are off on purpose, to hide each person; in 19 of 20 cases by no more than this:")
        for line in plan.marginLines() { Terminal.talk("  \(line.text)") }
        Terminal.talk("\nFirst, if you start now:")
        for line in plan.firstLines(now: UnixClock.system.now) { Terminal.talk("  \(line)") }
    }
}

/// Words of an option, separated by commas, each once.
struct WordList<Word: RawRepresentable<String> & Hashable & Sendable>: ExpressibleByArgument, Sendable {
    let words: [Word]

    init?(argument: String) {
        let found = argument.split(separator: ",").map { Word(rawValue: $0.trimmingCharacters(in: .whitespaces)) }
        words = found.compactMap(\.self)
        guard words.count == found.count, Set(words).count == words.count, !words.isEmpty else { return nil }
    }
}

/// Languages of `--languages`, separated by commas, each once.
struct LanguageList: ExpressibleByArgument {
    let languages: [Language]
    static let known = Language.all.map(\.tag.text).joined(separator: ", ")

    init?(argument: String) {
        let found = argument.split(separator: ",").map { word in
            Language.all.first { $0.tag.text == word.trimmingCharacters(in: .whitespaces) }
        }
        languages = found.compactMap(\.self)
        guard languages.count == found.count, Set(languages).count == found.count, !found.isEmpty else { return nil }
    }
}

extension DraftClient: ExpressibleByArgument {}

/// The questions of `throng plan new`, asked on the terminal one after the other.
struct PlanQuestions {
    func client() throws -> DraftClient {
        try ask("What will send events? web (pages), app (or a backend), both", usual: "web", option: "--for web") {
            DraftClient(rawValue: $0)
        }
    }

    func topics(_ client: DraftClient) throws -> [PlanTopic] {
        let known = PlanTopic.allCases.filter { $0.isFor(client) }
        Terminal.talk("What do you want to learn?")
        for (number, topic) in known.enumerated() { Terminal.talk("  \(number + 1)  \(topic.question.text(.english))") }
        return try ask("Up to three numbers, the most important first", usual: "1 2", option: "--learn \(known[0])") {
            answer in
            let names = answer.split { $0 == " " || $0 == "," }.map { word in
                Int(word).flatMap { known.indices.contains($0 - 1) ? known[$0 - 1].rawValue : nil } ?? String(word)
            }
            guard let topics = WordList<PlanTopic>(argument: names.joined(separator: ","))?.words else { return nil }
            return Set(topics).isSubset(of: known) && topics.count <= PlanDraft.mostTopics ? topics : nil
        }
    }

    func title() throws -> String {
        try ask("What is it called?", usual: "My app", option: "--title TITLE") { answer in
            answer.count > 120 ? nil : answer
        }
    }

    func audience() throws -> Int {
        let least = PlanDraft.smallestAudience
        return try ask("How many devices a day, roughly? \(least) or more", usual: "3000", option: "--audience 3000") {
            Int($0.filter { $0 != "," }).flatMap { $0 >= least && $0 <= 10_000_000_000 ? $0 : nil }
        }
    }

    func partner() throws -> String? {
        let answer: String = try ask(
            "Who gets a report each day? A name, or nobody", usual: "nobody", option: "--no-partner"
        ) { $0.count > 120 ? nil : $0 }
        return answer.lowercased() == "nobody" ? nil : answer
    }

    func languages() throws -> [Language] {
        try ask("In which languages are its texts? \(LanguageList.known)", usual: "en", option: "--languages en") {
            LanguageList(argument: $0.split { $0 == " " || $0 == "," }.joined(separator: ","))?.languages
        }
    }

    /// Asks until an answer will do; an empty one is the usual one.
    private func ask<Answer>(_ question: String, usual: String, option: String, read: (String) -> Answer?) throws
        -> Answer
    {
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("Nobody can be asked, as standard input is no terminal: name \(option) as well.")
        }
        while true {
            Terminal.talk("\(question) [\(usual)]: ", newline: false)
            guard let line = readLine() else { throw CommandFailure("The questions ended; nothing is written.") }
            let words = line.trimmingCharacters(in: .whitespaces)
            if let answer = read(words.isEmpty ? usual : words) { return answer }
            Terminal.talk("That is none of the answers.")
        }
    }
}

struct PlanApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Has a daemon count by another plan.",
        discussion: """
            Says what the plan does in the former one's place, as `throng plan diff` does. Where something widens, people have to \
            be asked or a period is split, nothing is changed unless --yes is given.

            Then it keeps the former plan beside the file, by its version, writes the plan over the file with which the daemon \
            of --data was started, sends the daemon SIGHUP, and waits until it counts by the new plan. The daemon stops in order and starts again in the same process; meanwhile clients \
            can't reach it for a few seconds and come again. Where none runs, the next start counts by the new plan.

            The plan is in force then for all daemons of the database, whichever was before. Bring it to each of them: one that \
            counts by another plan releases, reports and deletes nothing, and says so.

            It ends with 3 or 4 where nothing was changed: a period would be split, or something would widen, or people would \
            have to be asked.

            EXAMPLE
              throng plan apply plan.yaml --data ./data
            """)

    @Argument(help: "The plan's file.") var file: String
    @OptionGroup var data: DataOption
    @Flag(help: "Also where something widens, people have to be asked or a period is split.") var yes = false
    @Flag(help: "Prints the changes as JSON.") var json = false

    /// The longest time that a daemon may take to start by the new plan.
    private static let patience: Duration = .seconds(120)
    /// The longest time that PostgreSQL may take to know that the plan is in force.
    private static let knowing: Duration = .seconds(15)

    func run() async throws {
        let dataPath = Place.absolute(data.path)
        let plans = RunningPlans(dataPath: dataPath)
        let (new, old, diff) = try PlanFiles.sayingProblems {
            let new = try PlanFiles.source(file)
            let old = try Self.running(new.plan.app.name, at: dataPath)
            return (new, old, try PlanDiff(from: old.plan, to: new.plan, rules: .system))
        }
        if json { try Terminal.json(diff.changes) } else { PlanDiffCommand.say(diff) }
        if !yes, let code = PlanDiffCommand.exitCode(of: diff) {
            Terminal.talk("Nothing was changed. With --yes the plan is put in force all the same.")
            throw code
        }
        if new.bytes != old.bytes {
            let kept = "\(old.path).\(old.plan.version.short)"
            try keep(old.bytes, at: kept)
            Terminal.talk("The former plan is kept in \(kept), for audits and to go back.")
        }
        try write(new.bytes, over: old.path)
        do { try plans.apply(new.plan) } catch {
            throw CommandFailure(
                "\(old.path) has the new plan, but the daemon can't be told in \(dataPath)/plans: "
                    + "\(error.localizedDescription). Run this as the daemon's user.")
        }
        guard let process = plans.process else {
            return Terminal.talk("\(old.path) has the new plan. No daemon runs: the next start counts by it.")
        }
        guard new.bytes != old.bytes else {
            return Terminal.talk(
                "The daemon counts by this plan already\(try await Self.standing(of: new.plan, plans)).")
        }
        guard kill(process, SIGHUP) == 0 else {
            throw CommandFailure(
                "\(old.path) has the new plan, but process \(process) can't be told: \(String(cString: strerror(errno))). Send it "
                    + "SIGHUP as its own user, or restart it.")
        }
        let clock = ContinuousClock()
        let end = clock.now + Self.patience
        while plans.bytes(of: new.plan.app.name) != new.bytes {
            guard clock.now < end, plans.process != nil || clock.now < end - Self.patience + .seconds(60) else {
                throw CommandFailure(
                    "\(old.path) has the new plan, but the daemon did not take it over; its log says why.")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        Terminal.talk("The daemon counts by the new plan\(try await Self.standing(of: new.plan, plans)).")
    }

    /// Waits until PostgreSQL knows that a plan is in force; what is to be said of that.
    private static func standing(of plan: Plan, _ plans: RunningPlans) async throws -> String {
        let end = ContinuousClock.now + knowing
        while plans.isApplied(plan.version, of: plan.app.name) {
            guard ContinuousClock.now < end else {
                return "; it comes into force for other daemons of the database once PostgreSQL can be reached"
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        return ", which is in force"
    }

    static func running(_ app: AppName, at dataPath: String) throws -> RunningPlan {
        guard let source = try RunningPlans(dataPath: dataPath).source(of: app) else {
            throw CommandFailure(
                "No daemon has counted for the app \(app) in \(dataPath). Name the data directory of its `throng serve` with "
                    + "--data; for an app that is new, start the daemon with its plan.")
        }
        return source
    }

    private func keep(_ bytes: [UInt8], at path: String) throws {
        do { try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
            throw CommandFailure(
                "\(path) can't be written, to keep the former plan, so nothing was changed: \(error.localizedDescription)"
            )
        }
    }

    /// All of it or nothing, with the owner and the mode of what was there.
    private func write(_ bytes: [UInt8], over path: String) throws {
        let files = FileManager.default
        do {
            let attributes = try files.attributesOfItem(atPath: path)
            // A link leads to the file that is meant.
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
            try Data(bytes).write(to: target, options: .atomic)
            let kept: [FileAttributeKey] = [.posixPermissions, .ownerAccountID, .groupOwnerAccountID]
            try files.setAttributes(attributes.filter { kept.contains($0.key) }, ofItemAtPath: target.path)
        } catch {
            throw CommandFailure("\(path) can't be written, so nothing was changed: \(error.localizedDescription)")
        }
    }
}
