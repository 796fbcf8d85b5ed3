internal import Logging
internal import ServiceLifecycle
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore

extension Daemon {
    /// Runs the services of an open daemon until the stop, and closes what they used.
    func run(on parts: DaemonParts) async throws {
        let standing = FlushStanding()
        // The clock is checked before any window ends. If PostgreSQL is away, the schedule checks it once it is back.
        let guarded = clockGuard(parts)
        if parts.ingestion.knownFlushed != nil { _ = await guarded.believed() }
        let reports = try reportScheduler(parts)
        let deliveries = deliveryService(reports, parts.telemetry)
        let schedule = try scheduleService(parts, reports, standing, guarded)
        let flush = flushService(parts, standing)
        let fence = fenceWatch(parts)
        // This look comes first: another daemon's events are not counted here, if PostgreSQL answers in time.
        let neighbours = memberWatch(parts)
        if parts.ingestion.knownFlushed != nil { try await neighbours.lookFirst() }
        sayWhetherItHasLeft(parts.data)
        let clientSessions = sessions(asksClients: asksClients)
        let gateway = try ObliviousGateway(
            parts.data, contentBytes: options.limits.bodyBytes, clock: clock, logger: logger)
        let issuer = CredentialIssuer(
            options.credentials.rules, keys: parts.credentialKeys, data: parts.data, clock: clock, logger: logger)
        // Started in this order, stopped in the other: clients first, PostgreSQL last.
        var services: [any Service] = parts.cluster.map { [$0] } ?? []
        services += [FlushMark(budget: stop), fence, flush]
        services.append(
            PeriodicTask(.members, every: .seconds(1), on: parts.telemetry.rounds) { try await neighbours.look() })
        services += [planWatch(parts), schedule, deliveries]
        services.append(SecurityLogService(log: security, telemetry: parts.telemetry, logger: logger))
        services.append(try metricsServer(parts.ingestion))
        services.append(try intakeServer(parts.ingestion, gateway, issuer, clientSessions))
        services.append(parts.failure)
        services += keyRounds(parts, gateway)
        services += countingRounds(parts, clientSessions)
        // Sessions are forgotten even if nobody signs in here: another daemon may be gone.
        let portal = portal(of: parts)
        services.append(
            PeriodicTask(.sessions, every: .seconds(60), on: parts.telemetry.rounds) {
                try await portal.forgetSessions()
            })
        if let endpoint = options.members {
            services.append(try memberServer(parts.ingestion, gateway, issuer, at: endpoint))
        }
        if let endpoint = options.portal { services.append(try portalServer(portal, parts.ingestion, at: endpoint)) }
        services.append(stopWatch(parts, portal))
        let group = serviceGroup(services)
        try RunningPlans.write(options.sources, in: parts.data)
        await lifetime.runs(group, by: options.sources, stop: stop)
        try await group.run()
        await close(parts, portal)
        if let error = parts.failure.error { throw error }
    }

    private func sayWhetherItHasLeft(_ data: DataDirectory) {
        guard data.hasLeft else { return }
        logger.warning(
            """
            PostgreSQL can't be reached, and was told that this daemon stopped: nothing is counted before it knows \
            better, because others are there that may release
            """)
    }

    private func portal(of parts: DaemonParts) -> Portal {
        Portal(
            parts.settings, plans: options.plans, signing: options.reports.signing, now: { [clock] in clock.now },
            onRefusal: { [security] in security.note($0) }, health: health(of: parts))
    }

    private func serviceGroup(_ services: [any Service]) -> ServiceGroup {
        ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { service in
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: service, failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                logger: logger))
    }

    /// Returns the service that gives questions to PostgreSQL a last while once the daemon stops.
    private func stopWatch(_ parts: DaemonParts, _ portal: Portal) -> StopWatch {
        StopWatch(budget: stop, cluster: parts.cluster, logger: logger) { [ingestion = parts.ingestion] in
            parts.releases.close(within: StopBudget.questions)
            portal.close(within: StopBudget.questions)
            // The last flush asks it who is there.
            parts.members.close(within: StopBudget.untilFlushed)
            ingestion.reveals.close(within: StopBudget.questions)
            ingestion.firsts?.close(within: StopBudget.questions)
        }
    }

    private func close(_ parts: DaemonParts, _ portal: Portal) async {
        let ingestion = parts.ingestion
        await onOwnThread {
            ingestion.slow.finish()
            ingestion.proving.finish()
            ingestion.journal.stop()
        }
        parts.data.unlock()
        parts.releases.close()
        parts.pages?.close()
        portal.close()
        parts.database.counters.close()
        ingestion.reveals.close()
        ingestion.firsts?.close()
    }
}

/// The parts of a daemon once its data directory is open and its journal replayed.
struct DaemonParts: Sendable {
    let data: DataDirectory
    /// The daemon's own PostgreSQL; nil if it runs none.
    let cluster: PrivateCluster?
    let settings: ConnectionSettings
    let database: DatabaseLink
    let telemetry: Telemetry
    let failure: FailureFlag
    let kept: KeptFlushes
    let offered: OfferedMark
    let ingestion: Ingestion
    let trustedClock: MachineClock
    /// The keys that issue credentials and check presented ones.
    let credentialKeys: EpochKeys
    /// The position up to which the journal can't be read: PostgreSQL or kept flushes must have what is before.
    let unreadable: JournalPosition
    let releases: ReleaseStore
    let members: MemberStore
    /// The connection that rewrites pages which age has emptied; nil unless the daemon runs its own PostgreSQL.
    let pages: Connection?
}
