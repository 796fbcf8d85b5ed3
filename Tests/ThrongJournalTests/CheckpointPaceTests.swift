import Testing

@testable import ThrongJournal

@Suite("Checkpoints are as frequent as a start needs, and no more than the disk bears")
struct CheckpointPaceTests {
    @Test("one is due once so much was journalled, and none where none is wanted")
    func bytes() {
        var pace = CheckpointPace(least: 100)
        #expect(!pace.isDue(total: 99, now: .zero) && pace.isDue(total: 100, now: .zero))
        pace.note(total: 130, size: 0, now: .zero)
        #expect(!pace.isDue(total: 229, now: .seconds(9)) && pace.isDue(total: 230, now: .zero))
        #expect(!CheckpointPace(least: 0).isDue(total: .max, now: .seconds(9)))
    }

    @Test("a large one is followed by a rest, so that the disk writes so much a second at most", arguments: [1, 3, 40])
    func rest(seconds: Int) {
        var pace = CheckpointPace(least: 100)
        pace.note(total: 0, size: seconds * CheckpointPace.bytesPerSecond, now: .seconds(7))
        let end = Duration.seconds(7 + seconds)
        #expect(!pace.isDue(total: .max, now: end - .milliseconds(1)) && pace.isDue(total: 100, now: end))
        #expect(!pace.isDue(total: 99, now: end))
    }
}
