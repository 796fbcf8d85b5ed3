internal import NIOHTTP1

extension BatchHandler {
    /// Whether a request has to wait until others have had their turn: a connection may bring thousands at once.
    func mustRest(before part: HTTPServerRequestPart) -> Bool {
        guard case .head = part, let turns, !isResting else { return isResting }
        taken += 1
        guard !turns.allow(taken) else { return false }
        isResting = true
        turns.add(self)
        return true
    }

    /// The others have had their turn.
    func goOn() {
        (isResting, taken) = (false, 0)
        guard let context else { return }
        takeWaiting(context)
    }

    /// Answers a whole request for which there is no room.
    func turnAway(_ ingestion: Ingestion) {
        security.note(.room)
        ingestion.turnAway()
        answer(.crowded)
    }
}
