internal import Hummingbird
internal import ThrongJournal

/// The routes `GET /healthz` and `GET /readyz`, at every port: a balancer asks the one that it uses.
struct HealthRoutes {
    let ingestion: Ingestion
    /// Returns true if a stop is near.
    let isStopping: @Sendable () -> Bool
    /// True if operators ask, who are told more than clients.
    var isForOperators = false

    func add(to router: Router<BasicRequestContext>) {
        router.get("/healthz") { _, _ in Response.text(.ok, "alive\n") }
        router.get("/readyz") { _, _ in
            if isStopping() { return Response.notReady("this process is about to stop; what comes is still taken\n") }
            // The daemon is ready without PostgreSQL: the journal takes events up to its cap.
            if let stall = ingestion.journal.stall { return Response.notReady(Self.words(of: stall)) }
            if ingestion.areWindowsFull {
                return Response.notReady(
                    "memory for open windows is full, and nobody new is counted until some are over\n")
            }
            // It counts, and other daemons release: there is no reason to send clients elsewhere.
            let advice = isForOperators ? ingestion.telemetry.plans.behind.map { "ready, but \($0.advice)\n" } : []
            return Response.text(.ok, advice.isEmpty ? "ready\n" : advice.joined())
        }
    }

    private static func words(of stall: Journal.Stall) -> String {
        switch stall {
        case .failed: "the journal has failed, or another process has this one's place; this one is about to end\n"
        case .closed: "another process is taking this one's place\n"
        case .inDoubt: "another process may have this one's place, as it stood still, and PostgreSQL is being asked\n"
        case .stuck: "nothing has come to the journal's disk for seconds\n"
        case .diskFull: "the journal's disk is full\n"
        case .full: "the journal is full: PostgreSQL lacks as much as may be kept, or the disk can't keep up\n"
        }
    }
}

/// The route `GET /metrics`, on a port of its own.
struct MetricsRoutes {
    let ingestion: Ingestion
    let dataPath: String
    /// The certificate; nil without TLS.
    let certificates: Certificates?
    /// The coarse figures that are served if other machines may read them; nil serves exact ones.
    let coarse: CoarseFigures?

    func add(to router: Router<BasicRequestContext>) {
        router.get("/metrics") { _, _ in
            func text() -> String {
                ingestion.telemetry.text(
                    ingestion.gauges, disk: DataDirectory.space(at: dataPath),
                    certificateEnd: certificates?.inForce?.certificate.end, coarse: coarse)
            }
            return Response.text(
                .ok, coarse?.page(at: .now, make: text) ?? text(), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }
}

/// The routes of a daemon that can't start yet.
struct StartingRoutes {
    func add(to router: Router<BasicRequestContext>) {
        router.get("/healthz") { _, _ in Response.text(.ok, "alive\n") }
        router.get("/readyz") { _, _ in
            Response.notReady(
                "not started yet: the disk is full, or PostgreSQL has to be asked first, or another process may still have "
                    + "this one's place there\n")
        }
        for path in [
            "/v1/batches", "/v1/preview", "/v1/withdraw", "/v1/reveals", "/v1/firsts", "/v1/ohttp", "/v1/credentials",
            "/apps/:app",
        ] { router.post(RouterPath(path)) { _, _ in Response.problem(Unavailable.starting.problem) } }
        for path in ["/v1/ohttp-keys", "/v1/credentials/:app"] {
            router.get(RouterPath(path)) { _, _ in Response.problem(Unavailable.starting.problem) }
        }
    }
}
