internal import Hummingbird
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore

/// The pages behind a sign-in: partners read their reports, analysts look at what is released, operators see how the
/// daemon is.
///
/// They are served on a port of their own and rendered here; no script but one that copies, nothing loaded from
/// elsewhere, nothing kept in a browser but a cookie that no script can read.
struct Portal: Sendable {
    private let access: AccessStore
    private let releases: ReleaseStore
    private let analysts: AnalystStore
    private let plans: [Plan]
    private let signing: ReportKeyFolder
    private let door: Doorkeeper
    private let health: @Sendable () -> DaemonHealth

    /// `onRefusal` is called for each form that lets nobody in.
    init(
        _ settings: ConnectionSettings, plans: [Plan], signing: ReportKeyFolder,
        now: @escaping @Sendable () -> UnixSeconds,
        onRefusal: @escaping @Sendable (SecurityLog.Refusal) -> Void = { _ in },
        health: @escaping @Sendable () -> DaemonHealth
    ) {
        access = AccessStore(settings)
        releases = ReleaseStore(settings)
        analysts = AnalystStore(settings)
        door = Doorkeeper(access: access, now: now, onRefusal: onRefusal)
        (self.plans, self.signing, self.health) = (plans, signing, health)
    }

    func add(to router: Router<BasicRequestContext>) throws {
        let pages = try PortalPages(plans: plans)
        router.add(middleware: DatabaseFaults(pages: pages))
        SignInRoutes(door: door, pages: pages).add(to: router)
        try VerifyRoutes(signing: signing).add(to: router)
        SessionRoutes(door: door, pages: pages, access: access).add(to: router)
        PartnerRoutes(door: door, pages: pages, access: access).add(to: router)
        PublicRoutes(pages: pages, plans: plans, shelf: PublicShelf(access: access)).add(to: router)
        AskRoutes(door: door, pages: pages, access: access).add(to: router)
        OperatorRoutes(door: door, pages: pages, access: access, releases: releases, plans: plans, health: health)
            .add(to: router)
        AnalystRoutes(door: door, pages: pages, store: analysts, plans: plans).add(to: router)
        router.add(middleware: NoRoute(router.routes.map { ($0.path, $0.method) }))
    }

    func forgetSessions() async throws { try await access.expireSessions() }

    /// - Parameter length: the time that questions have to end; nil for as long as they take.
    func close(within length: Duration? = nil) {
        access.close(within: length)
        releases.close(within: length)
        analysts.close(within: length)
    }
}
