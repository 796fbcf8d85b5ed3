internal import NIOHTTP1

extension BatchHandler {
    /// The number of answers of one connection that may wait for the disk; with one read, all that it can hold.
    private static let mostInFlight = 256

    /// Returns true if a request has to wait because too many answers of its connection wait for the disk.
    func isFull(before part: HTTPServerRequestPart) -> Bool {
        guard inFlight > 0, case .head = part, let queue else { return false }
        return inFlight >= Self.mostInFlight || !queue.hasRoom
    }

    /// Returns true if the next waiting part may be taken: an event or an error comes after all answers.
    func mayTake(_ next: WaitingParts.Element) -> Bool {
        guard case .part(let part) = next else { return inFlight == 0 }
        return !isFull(before: part) && !mustRest(before: part)
    }

    /// Returns true if a request has to wait until others have had their turn: one may bring thousands at once.
    func mustRest(before part: HTTPServerRequestPart) -> Bool {
        guard case .head = part, let turns, !isResting else { return isResting }
        taken += 1
        guard !turns.allow(taken) else { return false }
        isResting = true
        turns.add(self)
        return true
    }

    func goOn() {
        (isResting, taken) = (false, 0)
        guard let context else { return }
        takeWaiting(context)
    }

    func turnAway(_ ingestion: Ingestion) {
        security.note(.room)
        ingestion.turnAway()
        answer(IntakeAnswer(.crowded))
    }
}
