import ArgumentParser
import Foundation
import ThrongJournal
import ThrongPlan
import ThrongStore
import ThrongSystem

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
        do {
            try plans.apply(new.plan)
        } catch {
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
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
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
