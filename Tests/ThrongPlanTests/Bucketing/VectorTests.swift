import Foundation
import Testing
import ThrongPlan
import ThrongWire

/// Deploy/conform/vectors.json, by which clients in other languages prove themselves.
@Suite("The vectors for clients in other languages say what Throng does")
struct VectorTests {
    private struct Vectors: Decodable {
        struct Window: Decodable {
            let unix: Int64
            let rotationSeconds: Int64
            let window: Int64
        }
        struct Buckets: Decodable {
            struct Case: Decodable {
                let value: Batch.Scalar
                let label: String
            }
            let dimension: String
            let rule: BucketingRule
            let labels: [String]
            let values: [Case]
        }
        let format: String
        let windows: [Window]
        let buckets: [Buckets]
    }

    private static func vectors() throws -> Vectors {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(
            Vectors.self, from: Data(contentsOf: root.appending(path: "Deploy/conform/vectors.json")))
    }

    private static func label(_ value: Batch.Scalar, _ bucketing: any Bucketing) -> String {
        let bucket =
            switch value {
            case .text(let text): text.withFieldValue { bucketing.bucket($0) }
            case .integer(let integer): bucketing.bucket(.integer(integer))
            case .number(let number): bucketing.bucket(.number(number))
            case .flag(let flag): bucketing.bucket(.flag(flag))
            case .null: bucketing.bucket(.missing)
            }
        return bucketing.labels[bucket].text
    }

    @Test("every value of every kind lands where the daemon puts it")
    func buckets() throws {
        let vectors = try Self.vectors()
        #expect(vectors.format == "throng-vectors/1")
        for dimension in vectors.buckets {
            let bucketing = try SampleRules.compiled(dimension.rule)
            #expect(dimension.labels == bucketing.labels.map(\.text), "\(dimension.dimension)")
            for each in dimension.values {
                let found = Self.label(each.value, bucketing)
                #expect(each.label == found, "\(dimension.dimension): \(each.value)")
            }
        }
        #expect(vectors.buckets.count == 18 && vectors.buckets.reduce(0) { $0 + $1.values.count } > 150)
    }

    @Test("a window is floor(unix time / rotation)")
    func windows() throws {
        for each in try Self.vectors().windows {
            #expect(UnixSeconds(each.unix).flooredQuotient(by: each.rotationSeconds) == each.window)
        }
    }
}
