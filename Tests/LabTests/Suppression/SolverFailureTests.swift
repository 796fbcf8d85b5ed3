import CCoin
import Foundation
import Testing

@Suite("An assertion of a solver that fails ends its program, and not the process")
struct SolverFailureTests {
    @Test("again and again, on several threads, and what is done next is not touched by it")
    func again() async {
        let failures = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<50).count { number in
                        let failed = !throng_coin_attempt({ _ in throng_coin_fail() }, nil)
                        // One that does not fail in between.
                        var value = number
                        let passed = throng_coin_attempt(
                            { $0?.assumingMemoryBound(to: Int.self).pointee += 1 }, &value)
                        return failed && passed && value == number + 1
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 400)
    }
}
