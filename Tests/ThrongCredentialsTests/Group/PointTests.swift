import Crypto
import Foundation
import Testing

@testable import ThrongAttestation

@Suite("The group of P-256")
struct PointTests {
    private static func randomScalar() -> Scalar {
        var generator = SystemRandomNumberGenerator()
        return Scalar.random(using: &generator)
    }

    private static func randomPoint() -> Point { Point(hashing: Bytes.random(32), domain: [1]) }

    /// 1, 2, n − 1, n − 2, and each power of 2 with its neighbours.
    private static let edges: [Scalar] = {
        var scalars = [Scalar.one, Scalar(2), -Scalar.one, -Scalar(2)]
        var power = Scalar.one
        for _ in 1..<256 {
            power = power + power
            scalars += [power, power - .one, power + .one, -power]
        }
        return scalars.filter { !$0.isZero }
    }()

    @Test("sums are associative and commutative, and the identity changes nothing")
    func laws() {
        for _ in 0..<50 {
            let (p, q, r) = (Self.randomPoint(), Self.randomPoint(), Self.randomPoint())
            #expect((p + q) + r == p + (q + r))
            #expect(p + q == q + p)
            #expect(p + .identity == p && .identity + p == p)
            #expect(p + p == p.doubled && p.doubled - p == p)
            #expect((p - p).isIdentity.isYes && !p.isIdentity.isYes)
            #expect(p != q && p != -p && p != .identity)
        }
        #expect(Point.identity.doubled == .identity && Point.identity + .identity == .identity)
    }

    @Test("the order times a point is the identity, and products add as their scalars")
    func order() {
        for _ in 0..<20 {
            let (p, k, m) = (Self.randomPoint(), Self.randomScalar(), Self.randomScalar())
            #expect(-Scalar.one * p == -p)
            #expect((-Scalar.one * p + p).isIdentity.isYes)
            #expect((Scalar.zero * p).isIdentity.isYes)
            #expect(k * p + m * p == (k + m) * p)
            #expect(k * (m * p) == (k * m) * p)
            #expect(k.inverse * (k * p) == p)
            let q = Self.randomPoint()
            #expect(Point.sum([(k, p), (m, q), (k, .generator)]) == k * p + m * q + k * .generator)
        }
        #expect(Point.sum([]) == .identity)
    }

    @Test("multiples of the generator are swift-crypto's public keys: 500 random scalars and a thousand at edges")
    func generator() throws {
        for scalar in Self.edges + (0..<500).map({ _ in Self.randomScalar() }) {
            let key = try P256.Signing.PrivateKey(rawRepresentation: scalar.bytes)
            #expect((scalar * .generator).compressed == Array(key.publicKey.compressedRepresentation))
        }
    }

    @Test("a product's x is what swift-crypto's key agreement finds")
    func agreement() throws {
        for scalar in Self.edges.prefix(40) + (0..<200).map({ _ in Self.randomScalar() }) {
            let point = Self.randomPoint()
            let theirs = try P256.KeyAgreement.PublicKey(compressedRepresentation: point.compressed)
            let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar.bytes)
            let secret = try key.sharedSecretFromKeyAgreement(with: theirs)
            #expect((scalar * point).compressed.dropFirst().elementsEqual(secret.withUnsafeBytes { Array($0) }))
        }
    }

    @Test("a compressed point is read as the point that it was written of")
    func encoding() throws {
        for _ in 0..<100 {
            let point = Self.randomPoint()
            let read = try #require(Point(compressed: point.compressed))
            #expect(read == point && read.compressed == point.compressed)
            var other = point.compressed
            other[0] ^= 1
            #expect(Point(compressed: other) == -point)
        }
    }

    @Test("what is no compressed point of the curve is not read")
    func refusals() throws {
        let good = Point.generator.compressed
        #expect(Point(compressed: good) != nil)
        for prefix in UInt8.min...UInt8.max where prefix != 2 && prefix != 3 {
            #expect(Point(compressed: [prefix] + good.dropFirst()) == nil)
        }
        // The identity, as SEC 1 writes it and as this group does; other lengths; uncompressed.
        for bytes in [[], [0], Point.identity.compressed, Array(good.dropLast()), good + [0]] {
            #expect(Point(compressed: bytes) == nil)
        }
        #expect(Point.identity.compressed == [UInt8](repeating: 0, count: 33))
        let whole = try P256.Signing.PublicKey(compressedRepresentation: good).x963Representation
        #expect(Point(compressed: whole) == nil)
        // x = p + 5: on the curve if it were reduced.
        let five = try #require((0..<50).map { Schoolbook($0) }.first { Point(compressed: [2] + $0.bytes) != nil })
        #expect(Point(compressed: [2] + (five + .p).bytes) == nil)
        // Half of all x are on no point; swift-crypto finds the same ones.
        var refused = 0
        for _ in 0..<200 {
            let bytes = [2] + Bytes.random(32)
            let theirs = try? P256.Signing.PublicKey(compressedRepresentation: bytes)
            #expect((Point(compressed: bytes) == nil) == (theirs == nil))
            if theirs == nil { refused += 1 }
        }
        #expect((50...150).contains(refused))
    }

    @Test("a coordinate's form does not matter to what is written")
    func projective() {
        let point = Self.randomPoint()
        let factor = FieldElement(wide: Bytes.random(48))
        let other = Point(x: point.x * factor, y: point.y * factor, z: point.z * factor)
        #expect(other == point && other.compressed == point.compressed)
    }
}
