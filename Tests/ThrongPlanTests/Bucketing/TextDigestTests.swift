import Testing

@testable import ThrongPlan

@Suite("Texts that differ in anything have other digests")
struct TextDigestTests {
    private static func digest(_ bytes: [UInt8], by digest: TextDigest) -> UInt64 {
        bytes.withUnsafeBufferPointer { digest($0) }
    }

    @Test("one bit, one byte more, two bytes in another order: no two digests are alike")
    func different() {
        let digest = TextDigest()
        var texts: Set<[UInt8]> = []
        for length in 0...130 {
            let text = (0..<length).map { UInt8(truncatingIfNeeded: 31 &* $0 &+ length) }
            texts.insert(text)
            texts.insert(Array(repeating: 0, count: length))
            for place in text.indices {
                var other = text
                other[place] ^= 1 << (place % 8)
                texts.insert(other)
                texts.insert(Array(text[..<place]) + [7] + text[place...])
                other = text
                other.swapAt(place, (place + 9) % length)
                texts.insert(other)
            }
        }
        #expect(texts.count > 20_000)
        #expect(Set(texts.map { Self.digest($0, by: digest) }).count == texts.count)
        // The control: without the length's own place in it, zeros at the front would be nothing.
        #expect(Self.digest([], by: digest) != Self.digest([0], by: digest))
    }

    @Test("it is the same again, and by another key it is another")
    func keyed() {
        let (one, other) = (TextDigest(), TextDigest())
        let text = Array("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0".utf8)
        #expect(Self.digest(text, by: one) == Self.digest(text, by: one))
        #expect(Self.digest(text, by: one) != Self.digest(text, by: other))
    }

    @Test("it is less than 2^61 - 1, whatever the bytes are", arguments: [0, 1, 6, 7, 8, 14, 15, 200])
    func within(length: Int) {
        for _ in 0..<1000 {
            let digest = TextDigest()
            #expect(Self.digest(Array(repeating: .max, count: length), by: digest) < (1 << 61) - 1)
        }
    }
}
