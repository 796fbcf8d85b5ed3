internal import Hummingbird
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// `/operator`: how the daemon is.
struct OperatorRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages
    let signIn: SignInRoutes
    let access: AccessStore
    let releases: ReleaseStore
    let runs: RunStore
    let members: RosterStore
    let registry: PlanRegistry
    let plans: [Plan]
    let house: String
    let health: @Sendable () -> DaemonHealth

    func add(to router: Router<BasicRequestContext>) {
        router.get("/operator") { request, _ in
            guard let visitor = try await door.visitor(of: request), visitor.role == .operations else {
                return try signIn.page(status: .unauthorized)
            }
            var pending: [(app: AppName, release: PendingRelease)] = []
            for plan in plans { pending += try await releases.pending(of: plan).map { (plan.app.name, $0) } }
            let view = OperatorView(
                health(), released: try await access.lastReleases(OperatorView.last), pending: pending,
                runs: try await self.runs.lastRuns(OperatorView.last),
                unsigned: try await self.runs.unsignedRuns(ending: ReportFile.signatureEnding, OperatorView.last),
                members: try await members.members(),
                registry: OperatorRegistry(
                    inForce: try await registry.inForce(), members: try await registry.members()), plans: plans,
                now: door.now(), frame: pages.frame("Operator", house: house, visitor: "Operator"))
            return try pages.response(view, by: "operator")
        }
    }
}
