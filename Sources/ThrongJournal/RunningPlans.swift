internal import Foundation
package import ThrongPlan

/// A plan, and the file that it was read from.
package struct RunningPlan: Sendable {
    package let plan: Plan
    package let bytes: [UInt8]
    package let path: String

    package init(plan: Plan, bytes: [UInt8], path: String) { (self.plan, self.bytes, self.path) = (plan, bytes, path) }
}

/// The plans that a daemon counts by, as it records them in its data directory for commands that change them.
///
/// - `plans/APP.yaml`: the plan's text.
/// - `plans/APP.path`: the path of the file that it was read from.
/// - `plans/daemon.pid`: the process.
/// - `plans/APP.applied`: the SHA-256, in hexadecimal, of a plan that an operator wants in force, until PostgreSQL
///   knows.
package struct RunningPlans: Sendable {
    private let dataPath: String

    package init(dataPath: String) { self.dataPath = dataPath }

    private static let folder = "plans"
    private static let processFile = "daemon.pid"

    private func file(_ app: AppName, _ ending: String) -> String { "\(dataPath)/\(Self.folder)/\(app).\(ending)" }

    /// Writes the plans that are in use from now on, and the process.
    package static func write(_ sources: [RunningPlan], in data: DataDirectory) throws(JournalError) {
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

    static func forget(_ app: AppName, in data: DataDirectory) throws(JournalError) {
        let plans = RunningPlans(dataPath: data.path)
        for ending in ["yaml", "path", "applied"] { try data.disk.remove(plans.file(app, ending)) }
    }

    /// Returns the plan of an app that a daemon counts by, or last did; nil if there is none.
    package func source(of app: AppName) throws(PlanProblems) -> RunningPlan? {
        guard let bytes = FileManager.default.contents(atPath: file(app, "yaml")),
            let path = FileManager.default.contents(atPath: file(app, "path"))
        else { return nil }
        return RunningPlan(
            plan: try Plan(bytes: bytes, file: file(app, "yaml")), bytes: Array(bytes),
            path: String(decoding: path, as: UTF8.self))
    }

    /// Returns the text of the plan of an app that a daemon counts by, or last did; nil if there is none.
    package func bytes(of app: AppName) -> [UInt8]? {
        FileManager.default.contents(atPath: file(app, "yaml")).map { Array($0) }
    }

    /// Returns the plans that a daemon counts by, or last did, by app, with the paths that it read them from.
    package func sources() throws(PlanProblems) -> [RunningPlan] {
        let folder = "\(dataPath)/\(Self.folder)"
        // A missing folder means that no daemon has counted here.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var sources: [RunningPlan] = []
        for name in names.sorted() where name.hasSuffix(".yaml") {
            guard let source = try source(of: AppName(String(name.dropLast(".yaml".utf8.count)))) else { continue }
            sources.append(source)
        }
        return sources
    }

    // MARK: Plans that an operator wants in force

    /// Tells the daemon that a plan comes into force in the database, whatever is in force there now.
    package func apply(_ plan: Plan) throws {
        let files = FileManager.default
        let folder = "\(dataPath)/\(Self.folder)"
        let path = file(plan.app.name, "applied")
        let owners = try files.attributesOfItem(atPath: folder)
            .filter { [.ownerAccountID, .groupOwnerAccountID].contains($0.key) }
        try Data(plan.version.hex.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        // The command may run as root, so the file is given to the folder's owner.
        try files.setAttributes(owners, ofItemAtPath: path)
    }

    /// True if an operator wants a plan in force, and PostgreSQL may not know yet.
    package func isApplied(_ version: PlanVersion, of app: AppName) -> Bool {
        FileManager.default.contents(atPath: file(app, "applied")).map { Array($0) } == Array(version.hex.utf8)
    }

    /// Forgets an operator's wish, once PostgreSQL knows.
    package func forgetApplied(_ app: AppName) {
        // If the file stays, the plan is applied once more, which changes nothing as long as it is in force.
        try? FileManager.default.removeItem(atPath: file(app, "applied"))
    }

    /// The process that holds the data directory; nil if there is none.
    package var process: Int32? {
        guard DataDirectory.isHeld(dataPath),
            let bytes = FileManager.default.contents(atPath: "\(dataPath)/\(Self.folder)/\(Self.processFile)")
        else { return nil }
        return Int32(String(decoding: bytes, as: UTF8.self))
    }
}
