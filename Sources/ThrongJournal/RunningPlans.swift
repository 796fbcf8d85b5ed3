internal import Foundation
package import ThrongPlan

/// A plan, and the file that it was read from.
package struct PlanSource: Sendable {
    /// What the file says.
    package let plan: Plan
    /// Its bytes.
    package let bytes: [UInt8]
    /// Its absolute path.
    package let path: String

    /// Puts a source together.
    package init(plan: Plan, bytes: [UInt8], path: String) {
        self.plan = plan
        self.bytes = bytes
        self.path = path
    }
}

/// What a daemon says in its data directory of the plans that it counts by, for commands that change them.
///
/// `plans/APP.yaml` is the plan's text · `plans/APP.path` the path of the file that it was read from · `plans/daemon.pid` the
/// process · `plans/APP.applied` the SHA-256, in hexadecimal, of a plan that an operator wants in force, until PostgreSQL knows.
package struct RunningPlans: Sendable {
    private let dataPath: String

    /// Names the data directory.
    package init(dataPath: String) { self.dataPath = dataPath }

    private static let folder = "plans"
    private static let processFile = "daemon.pid"

    private func file(_ app: AppName, _ ending: String) -> String { "\(dataPath)/\(Self.folder)/\(app).\(ending)" }

    /// Says what is counted by from now on, and by which process.
    package static func write(_ sources: [PlanSource], in data: DataDirectory) throws(JournalError) {
        let process = ProcessInfo.processInfo.processIdentifier
        let plans = sources.flatMap { source in
            [
                (name: "\(source.plan.app.name).path", contents: Array(source.path.utf8)),
                (name: "\(source.plan.app.name).yaml", contents: source.bytes),
            ]
        }
        let running = RunningPlans(dataPath: data.path)
        let applied = sources.compactMap { source in
            FileManager.default.contents(atPath: running.file(source.plan.app.name, "applied")).map {
                (name: "\(source.plan.app.name).applied", contents: Array($0))
            }
        }
        try data.keep(plans + applied + [(name: processFile, contents: Array("\(process)".utf8))], in: folder)
    }

    /// Removes what is said of an app that is deleted.
    static func forget(_ app: AppName, in data: DataDirectory) throws(JournalError) {
        let plans = RunningPlans(dataPath: data.path)
        for ending in ["yaml", "path", "applied"] { try data.disk.remove(plans.file(app, ending)) }
    }

    /// The plan of an app that a daemon counts by, or counted by last; nil where none did.
    ///
    /// - Throws: ``PlanProblems`` where this version does not take it.
    package func source(of app: AppName) throws(PlanProblems) -> PlanSource? {
        guard let bytes = FileManager.default.contents(atPath: file(app, "yaml")),
            let path = FileManager.default.contents(atPath: file(app, "path"))
        else { return nil }
        return PlanSource(
            plan: try Plan(bytes: bytes, file: file(app, "yaml")), bytes: Array(bytes),
            path: String(decoding: path, as: UTF8.self))
    }

    /// The text of the plan of an app that a daemon counts by, or counted by last.
    package func bytes(of app: AppName) -> [UInt8]? {
        FileManager.default.contents(atPath: file(app, "yaml")).map { Array($0) }
    }

    /// The plans that a daemon counts by, or counted by last, by app, with the paths that it read them from.
    ///
    /// - Throws: ``PlanProblems`` where this version does not take one.
    package func sources() throws(PlanProblems) -> [PlanSource] {
        let folder = "\(dataPath)/\(Self.folder)"
        // Without the folder no daemon has counted here.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var sources: [PlanSource] = []
        for name in names.sorted() where name.hasSuffix(".yaml") {
            guard let source = try source(of: AppName(String(name.dropLast(".yaml".utf8.count)))) else { continue }
            sources.append(source)
        }
        return sources
    }

    // MARK: What an operator wants to be in force

    /// Says, for the daemon, that a plan comes into force in the database whatever does now.
    ///
    /// - Throws: what the file system says.
    package func apply(_ plan: Plan) throws {
        let files = FileManager.default
        let folder = "\(dataPath)/\(Self.folder)"
        let path = file(plan.app.name, "applied")
        let owners = try files.attributesOfItem(atPath: folder)
            .filter { [.ownerAccountID, .groupOwnerAccountID].contains($0.key) }
        try Data(plan.version.hex.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        // Who runs the command may be root.
        try files.setAttributes(owners, ofItemAtPath: path)
    }

    /// Whether an operator wants a plan to be in force, and PostgreSQL may not know yet.
    package func isApplied(_ version: PlanVersion, of app: AppName) -> Bool {
        FileManager.default.contents(atPath: file(app, "applied")).map { Array($0) } == Array(version.hex.utf8)
    }

    /// Forgets what an operator wanted: PostgreSQL knows.
    package func forgetApplied(_ app: AppName) {
        // Where it stays, it is said once more, which changes nothing as long as the plan is in force.
        try? FileManager.default.removeItem(atPath: file(app, "applied"))
    }

    /// The process that holds the data directory; nil where none does.
    package var process: Int32? {
        guard DataDirectory.isHeld(dataPath),
            let bytes = FileManager.default.contents(atPath: "\(dataPath)/\(Self.folder)/\(Self.processFile)")
        else {
            return nil
        }
        return Int32(String(decoding: bytes, as: UTF8.self))
    }
}
