internal import Hummingbird
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// `/operator`: how the daemon is.
struct OperatorRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages
    let access: AccessStore
    let releases: ReleaseStore
    let plans: [Plan]
    let health: @Sendable () -> DaemonHealth

    func add(to router: Router<BasicRequestContext>) {
        router.get("/operator") { request, _ in
            guard let visitor = try await door.visitor(of: request), visitor.role == .operations else {
                return try pages.signIn(for: request, status: .unauthorized)
            }
            var pending: [(app: AppName, release: PendingRelease)] = []
            for plan in plans { pending += try await releases.pending(of: plan).map { (plan.app.name, $0) } }
            let runs = try await RunStore(releases.connection).lastRuns(OperatorView.last)
            let deliveries = DeliveryStore(releases.connection)
            var faults: [ReportRunName: [String]] = [:]
            for run in runs where run.outcome == .undelivered {
                faults[run.name] = try await deliveries.deliveries(of: run.name).filter { $0.state == .failed }.map {
                    "\($0.target): \($0.lastError ?? "")"
                }
            }
            let registry = PlanRegistry(releases.connection)
            let view = OperatorView(
                health(), released: try await access.lastReleases(OperatorView.last), pending: pending, runs: runs,
                faults: faults,
                unsigned: try await RunStore(releases.connection).unsignedRuns(
                    ending: ReportFile.signatureEnding, OperatorView.last), readings: try await access.readings(),
                asked: try await access.asked(),
                members: try await MemberAdmin(releases.connection).members(),
                registry: OperatorRegistry(
                    inForce: try await registry.inForce(), members: try await registry.members()), plans: plans,
                now: door.now(), frame: pages.frame("Operator", in: .english, visitor: "Operator"))
            return try pages.response(view, by: "operator")
        }
    }
}
