internal import Hummingbird

/// What clients are told while the daemon can't start yet.
struct StartingRoutes {
    func add(to router: Router<BasicRequestContext>) {
        router.get("/healthz") { _, _ in Response.text(.ok, "alive\n") }
        router.get("/readyz") { _, _ in
            Response.notReady(
                "not started yet: the disk is full, or PostgreSQL has to be asked first, or another process may still have "
                    + "this one's place there\n")
        }
        router.post("/v1/batches") { _, _ in Response.answer(.waiting) }
    }
}
