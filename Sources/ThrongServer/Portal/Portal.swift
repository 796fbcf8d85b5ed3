package import Hummingbird
package import ThrongPlan
internal import ThrongReport
package import ThrongStore

/// The pages behind a sign-in: partners read their reports, analysts look at what is released, operators see how the
/// daemon is.
///
/// They are served on a port of their own and rendered here; no script but one that copies, nothing loaded from
/// elsewhere, nothing kept in a browser but a cookie that no script can read.
package struct Portal: Sendable {
    private let access: AccessStore
    private let releases: ReleaseStore
    private let analysts: AnalystStore
    private let plans: [Plan]
    private let now: @Sendable () -> UnixSeconds
    private let onRefusal: @Sendable (SignInRefusal) -> Void
    private let network: @Sendable (Request) -> [UInt8]
    private let health: @Sendable () -> DaemonHealth

    /// Creates the portal's pages.
    ///
    /// - Parameters:
    ///   - settings: of PostgreSQL.
    ///   - onRefusal: called for each form that lets nobody in.
    ///   - network: from which network a request comes; nothing where nobody knows.
    ///   - health: how the daemon is, at the moment of asking.
    package init(
        _ settings: ConnectionSettings, plans: [Plan], now: @escaping @Sendable () -> UnixSeconds,
        onRefusal: @escaping @Sendable (SignInRefusal) -> Void = { _ in },
        network: @escaping @Sendable (Request) -> [UInt8] = { _ in [] },
        health: @escaping @Sendable () -> DaemonHealth
    ) {
        access = AccessStore(settings)
        releases = ReleaseStore(settings)
        analysts = AnalystStore(settings)
        self.plans = plans
        self.now = now
        self.onRefusal = onRefusal
        self.network = network
        self.health = health
    }

    /// Adds the pages to a router.
    ///
    /// - Throws: ``ReportError`` where a built-in template does not parse.
    package func add(to router: Router<BasicRequestContext>) throws {
        let house = plans.map(\.app.title).joined(separator: ", ")
        let pages = try PortalPages()
        let door = Doorkeeper(access: access, now: now, network: network)
        let signIn = SignInRoutes(door: door, pages: pages, house: house, onRefusal: onRefusal)
        signIn.add(to: router)
        SessionRoutes(door: door, pages: pages, signIn: signIn, access: access, house: house, onRefusal: onRefusal)
            .add(to: router)
        PartnerRoutes(door: door, pages: pages, signIn: signIn, access: access, plans: plans, house: house)
            .add(to: router)
        OperatorRoutes(
            door: door, pages: pages, signIn: signIn, access: access, releases: releases,
            runs: RunStore(releases.connection), members: RosterStore(releases.connection),
            registry: PlanRegistry(releases.connection), plans: plans, house: house, health: health
        ).add(to: router)
        AnalystRoutes(
            door: door, pages: pages, signIn: signIn, store: analysts, titles: ExplorerTitles(plans: plans),
            house: house
        ).add(to: router)
    }

    /// Forgets who had signed in, once that is over.
    package func forgetSessions() async throws { try await access.expireSessions() }

    /// Closes its connections to PostgreSQL.
    package func close() {
        access.close()
        releases.close()
        analysts.close()
    }

    /// Closes its connections after so long, whatever is under way.
    package func close(within length: Duration) {
        access.close(within: length)
        releases.close(within: length)
        analysts.close(within: length)
    }
}
