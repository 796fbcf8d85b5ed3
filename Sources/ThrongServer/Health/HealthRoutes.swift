internal import Hummingbird
internal import ThrongJournal

/// `GET /healthz` and `GET /readyz`.
struct HealthRoutes {
    let desk: CountingDesk

    func add(to router: Router<BasicRequestContext>) {
        router.get("/healthz") { _, _ in Response.text(.ok, "alive\n") }
        router.get("/readyz") { _, _ in
            // PostgreSQL away is not unready: the journal takes what comes until its cap.
            desk.journal.hasRoom
                ? Response.text(.ok, "ready\n")
                : Response.notReady("the journal is full or has failed\n")
        }
    }
}

/// `GET /metrics`, on a port of its own.
struct MetricsRoutes {
    let desk: CountingDesk
    let telemetry: Telemetry
    let dataPath: String

    func add(to router: Router<BasicRequestContext>) {
        router.get("/metrics") { _, _ in
            let disk = DataDirectory.space(at: dataPath).map { Telemetry.Disk(free: $0.free, size: $0.size) }
            return Response.text(
                .ok, telemetry.text(desk.gauges, disk: disk), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }
}
