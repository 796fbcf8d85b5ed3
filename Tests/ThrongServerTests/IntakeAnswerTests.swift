import Foundation
import Testing
import ThrongWire

@testable import ThrongServer

@Suite("An answer is JSON that clients read")
struct IntakeAnswerTests {
    @Test("what a client decodes is what was answered, with places and without")
    func details() throws {
        let refused: [BatchAnswer.Refusal] = [
            .init(index: 0, reason: .tooOld),
            .init(
                index: 1, reason: .unknownField,
                detail: RefusalDetail(pointer: "/events/1/fields", member: 2, nearest: "channel")),
            .init(index: 2, reason: .unknownField, detail: RefusalDetail(pointer: "/context", member: 0, field: "os")),
            .init(index: 3, reason: .unknownEvent, detail: RefusalDetail(pointer: "/events/3/event")),
            .init(
                index: 4, reason: .invalidValue,
                detail: RefusalDetail(pointer: "/events/4/fields", member: 0, field: "os", expected: "each member once")
            ),
        ]
        let answer = BatchAnswer(accepted: 4, refused: refused)
        let text = IntakeAnswer(answer).text
        #expect(try JSONDecoder().decode(BatchAnswer.self, from: Data(text.utf8)) == answer)
        #expect(text.hasPrefix(#"{"accepted":4,"refused":[{"index":0,"reason":"too_old"},{"index":1,"#))
    }

    @Test("an answer of an earlier daemon is read")
    func earlier() throws {
        let text = #"{"accepted":1,"refused":[{"index":3,"reason":"unknown_field"}]}"#
        let answer = try JSONDecoder().decode(BatchAnswer.self, from: Data(text.utf8))
        #expect(answer == BatchAnswer(accepted: 1, refused: [.init(index: 3, reason: .unknownField)]))
    }
}
