import Foundation
import ThrongCrowd
import ThrongPlan
import ThrongServer
import ThrongStore
import ThrongSystem

/// The plan's file while a trial runs: read again whenever it is saved.
///
/// A plan that is right goes to the daemon, which starts anew by it; of one that is not, the page says what is wrong with
/// which line, and the daemon goes on by the last one that was right.
actor WatchedPlan {
    private let file: String
    private let house: TrialHouse
    private let serve: ServeProcess
    private let desk: TryoutProxy
    private let feed: TryoutFeed
    private let settings: ConnectionSettings
    private var crowd: TrialCrowd
    private var bytes: [UInt8]
    private let makeCrowd: @Sendable (Plan) throws -> Crowd
    /// Looks in a row that found no file: editors put a new one in its place.
    private var misses = 0
    private var seed: UInt64 = 0

    /// The time that the daemon may take to start anew.
    private static let patience = Duration.seconds(30)

    /// - Parameter makeCrowd: makes the crowd of a plan.
    init(
        _ file: String, bytes: [UInt8], house: TrialHouse, serve: ServeProcess, desk: TryoutProxy, feed: TryoutFeed,
        settings: ConnectionSettings, crowd: TrialCrowd, makeCrowd: @escaping @Sendable (Plan) throws -> Crowd
    ) {
        (self.file, self.bytes, self.house, self.serve) = (file, bytes, house, serve)
        (self.desk, self.feed, self.settings) = (desk, feed, settings)
        (self.crowd, self.makeCrowd) = (crowd, makeCrowd)
    }

    /// Looks at the file, and does what follows from it.
    func look() async {
        guard let data = FileManager.default.contents(atPath: file) else {
            misses += 1
            if misses == 5 { say(.mistaken, [.init("There is no such file any more. Put it back.")]) }
            return
        }
        let wasMissing = misses >= 5
        misses = 0
        guard Array(data) != bytes || wasMissing else { return }
        bytes = Array(data)
        do {
            let read = try Plan(bytes: bytes, file: file).forMadeUpCrowd()
            guard read.version != crowd.plan.version else { return say(.counting) }
            say(.starting)
            try await take(read)
            say(.counting)
        } catch let problems as PlanProblems { say(.mistaken, problems.all.map { .init($0) }) } catch {
            say(.mistaken, [.init("\(error)")])
        }
    }

    private func take(_ read: Plan) async throws {
        let next = TrialCrowd(plan: read, crowd: try makeCrowd(read), devices: crowd.devices, seed: crowd.seed)
        try house.write(bytes)
        serve.reload()
        let deadline = ContinuousClock.now + Self.patience
        while await !serve.counts(by: read.version, of: read.app.name) {
            guard ContinuousClock.now < deadline else {
                throw CommandFailure("The daemon did not start by this plan; \(house.path)/serve.log says why.")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        let former = crowd.plan
        crowd = next
        desk.set(read)
        try await next.countToday(besides: former, into: settings)
    }

    /// A batch as the plan in use has it, made up anew each time.
    func example() -> [UInt8] {
        seed &+= 1
        // Short enough to read, and of whatever purpose comes.
        let batches = crowd.fresh(20, seed: seed)
        let few = batches.filter { (2...4).contains($0.events) }
        return Array(((few.randomElement() ?? batches.min { $0.events < $1.events })?.body ?? "{}").utf8)
    }

    private func say(_ state: TryoutPlan.State, _ problems: [TryoutPlan.Problem] = []) {
        feed.set(Self.said(file, crowd.plan, state, problems))
    }

    /// The page's words on a plan.
    static func said(
        _ file: String, _ plan: Plan, _ state: TryoutPlan.State, _ problems: [TryoutPlan.Problem] = []
    ) -> TryoutPlan {
        TryoutPlan(file: file, title: plan.app.title, version: plan.version.short, state: state, problems: problems)
    }
}
